import { byAlphabet } from '../../nodes/BrowserAutomation/fields/fieldBuilders';

it('names stand in the order of their letters, in upper or lower case', () => {
	const names = ['proxy', 'Bot', 'API Key', 'bots', 'Proxy', 'bot'];
	expect([...names].sort(byAlphabet)).toEqual(['API Key', 'Bot', 'bot', 'bots', 'proxy', 'Proxy']);
	expect(byAlphabet('Bot', 'bot')).toBe(0);
});
