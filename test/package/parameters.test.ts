import { parametersOf, readShown, type Parameter } from './shown';

/** E.g. `bot.getAll.limit: number = 50 "Limit" [returnAll: false]` */
function lineOf({ path, property, choices, when }: Parameter): string {
	return [
		`${path}: ${property.type}${property.required === true ? ', required' : ''}`,
		`= ${JSON.stringify(property.default)} ${JSON.stringify(property.displayName)}`,
		...(choices.length > 0 ? [`(${choices.map(({ value }) => value).join(' | ')})`] : []),
		...(when === '' ? [] : [`[${when}]`]),
	].join(' ');
}

it('has the parameters that workflows have stored', async () => {
	const { nodes, credentials } = await readShown();
	for (const { name, properties } of [...nodes, ...credentials]) {
		expect(parametersOf(properties).map(lineOf)).toMatchSnapshot(name);
	}
});
