/**
 * What runs in the status page: it shows the page anew, sends its buttons, and ends with a text. An execution that n8n is
 * carrying out or has ended answers 409, 404 when it is gone; a page that loaded itself anew would end in the JSON of that.
 * Reloaded by a person, it shows the execution in n8n, if that is on the same site. n8n's 409 says `running` of an execution that it
 * carries out, `finished with error` of one that failed or was stopped. A button is pressed until it is taken:
 * between two waves of starts an execution is suspended for a tenth of a second. One that resumes a run is not pressed again
 * where no answer came: it may have been taken, and the run may have paused once more.
 */
export const SCRIPT = `
(() => {
	const page = document.getElementById('page');
	const connection = document.getElementById('connection');
	const pause = 1000 * Number(document.body.dataset.refresh);
	let isOver = false;
	let isAsking = false;
	const later = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
	const say = (text) => {
		if (connection.textContent !== text) connection.textContent = text;
	};
	const end = (id) => {
		isOver = true;
		page.hidden = true;
		say('');
		const words = document.getElementById(id);
		words.hidden = false;
		document.title = words.querySelector('h1').textContent;
		try {
			history.replaceState(null, '', words.querySelector('a').href);
		} catch {}
	};
	const show = (text) => {
		const next = new DOMParser().parseFromString(text, 'text/html');
		const focused = document.activeElement?.id;
		page.replaceChildren(...next.getElementById('page').childNodes);
		document.title = next.title;
		if (focused) document.getElementById(focused)?.focus();
		say('');
	};
	const take = async (answer) => {
		const text = await answer.text();
		if (answer.ok && text.includes('id="page"')) return show(text);
		if (answer.ok) return say('All runs are being canceled.');
		if (answer.status === 409 && text.includes('running')) {
			say('n8n is at work …');
			return 'again';
		}
		if (![401, 403, 404, 409, 410].includes(answer.status)) throw new Error('no answer');
		end(text.includes('finished with error') ? 'failed' : 'done');
	};
	const ask = async (options, onFailure) => {
		while (isAsking) await later(50);
		if (isOver) return;
		isAsking = true;
		try {
			return await take(await fetch(location.href, { cache: 'no-store', ...options }));
		} catch {
			say(
				onFailure === 'unknown'
					? 'Whether the run was resumed is not known.'
					: 'n8n cannot be reached. Trying again …'
			);
			return onFailure;
		} finally {
			isAsking = false;
		}
	};
	let timer;
	const askIn = (milliseconds) => {
		clearTimeout(timer);
		if (!isOver) timer = setTimeout(tick, milliseconds);
	};
	document.addEventListener('submit', async (event) => {
		event.preventDefault();
		const { name, value, dataset } = event.submitter;
		if (dataset.confirm && !confirm(dataset.confirm)) return;
		for (const button of document.querySelectorAll('button')) button.disabled = true;
		say('Asking …');
		const press = { method: 'POST', body: new URLSearchParams([[name, value]]) };
		const onFailure = name === 'resume' ? 'unknown' : 'again';
		for (let tries = 1; (await ask(press, onFailure)) === 'again'; tries++) {
			await later(tries < 300 ? 100 : 1000);
		}
		for (const button of document.querySelectorAll('button')) button.disabled = false;
		askIn(pause);
	});
	const tick = async () => {
		if (!document.hidden) await ask();
		askIn(pause);
	};
	askIn(pause);
	document.addEventListener('visibilitychange', () => document.hidden || ask());
})();
`;
