/**
 * What runs in the status page: it shows the page anew, sends its buttons, and ends in words. An
 * execution that n8n is carrying out or has ended answers 409 before any code of ours runs, 404 when it is
 * gone; a page that loaded itself anew would end in the JSON of that. If a person loads it again, n8n shows the execution,
 * unless it is another site than its webhooks. `running` is in n8n's words
 * for the first, `finished with error` in those for an execution that failed or was stopped. A button
 * is pressed until it is taken: between two waves of starts an execution sleeps for a tenth of a second.
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
	const ask = async (options) => {
		while (isAsking) await later(50);
		if (isOver) return;
		isAsking = true;
		try {
			return await take(await fetch(location.href, { cache: 'no-store', ...options }));
		} catch {
			say('n8n cannot be reached. Trying again …');
			return 'again';
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
		for (let tries = 1; (await ask(press)) === 'again'; tries++) {
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
