const { default: Sequencer } = require('@jest/test-sequencer');

/** Small files that take long; those of n8n/ as long as n8n is started, killed and waited for in them. */
const SLOW = [
	'project/recipe',
	'execution/waiting/model/model',
	'n8n/waitingQueue',
	'n8n/hosts',
	'n8n/upgrade',
	'n8n/executionLimit',
	'n8n/upgradeQueue',
	'n8n/triggersRestart',
	'n8n/waiting',
	'n8n/waitingRestart',
	'n8n/demo',
	'n8n/triggers1.123',
	'n8n/examples',
	'n8n/n8nSettings',
];

function rankOf({ path }) {
	const rank = SLOW.findIndex((name) => path.endsWith(`/${name}.test.ts`));
	return rank < 0 ? SLOW.length : rank;
}

/**
 * What takes longest begins first, so that nobody waits for a single file in the end. Where Jest has not run before, it
 * takes the size of a file for how long it takes; that is wrong of a few.
 */
module.exports = class extends Sequencer {
	sort(tests) {
		return [...super.sort(tests)].sort((one, other) => rankOf(one) - rankOf(other));
	}
};
