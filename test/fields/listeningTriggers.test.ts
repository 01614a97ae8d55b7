import {
	beginListening,
	endListening,
	listeningAt,
} from '../../nodes/BrowserAutomation/fields/listeningTriggers';

const test = {
	name: 'Trigger',
	completedUrl: 'https://n8n.test/1',
	statusUrl: 'https://n8n.test/2',
};

beforeEach(() => jest.useFakeTimers({ now: 0 }));
afterEach(() => jest.useRealTimers());

it('an editor listens for two minutes, or until it ends', () => {
	beginListening('1', 'a', test);
	beginListening('1', 'b', test);
	endListening('1', 'b');
	jest.setSystemTime(119_999);
	expect(listeningAt('1', 'a')).toBe(test);
	expect(listeningAt('1', 'b')).toBeUndefined();
	expect(listeningAt('2', 'a')).toBeUndefined();
	jest.setSystemTime(120_000);
	expect(listeningAt('1', 'a')).toBeUndefined();
});
