import { checkApiKey, toApiKey } from '../../../nodes/BrowserAutomation/service/http/apiKey';

it.each([
	'app-1',
	'  app-1\n',
	'Bearer app-1',
	'bearer   app-1 ',
	'Authorization: Bearer app-1',
	'Authorization:Bearer app-1',
])('of %j the key is taken alone, and can be sent', (text) => {
	expect(toApiKey(text)).toBe('app-1');
	expect(() => checkApiKey(toApiKey(text))).not.toThrow();
});

it('a key that begins like the word stays whole', () => {
	expect(toApiKey('bearer-1')).toBe('bearer-1');
	expect(toApiKey('app bearer 1')).toBe('app bearer 1');
});

it.each(['app-1 app-2', 'app\n1', 'app\u20221', '••••'])(
	'%j is refused without being told',
	(key) => {
		expect(() => checkApiKey(key)).toThrow(
			expect.objectContaining({ message: expect.not.stringContaining(key) }),
		);
	},
);
