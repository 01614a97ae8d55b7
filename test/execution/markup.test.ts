// Under its own name Prettier would lay the templates out anew.
import { html as markup } from '../../nodes/BrowserAutomation/execution/markup';

it('text is escaped wherever it stands, HTML stays, nothing is left out', () => {
	const name = `<b title="a">Tom's & Co</b>`;
	const escaped = '&#60;b title=&#34;a&#34;&#62;Tom&#39;s &#38; Co&#60;/b&#62;';
	expect(markup`<p title="${name}">${name}</p>`.text).toBe(`<p title="${escaped}">${escaped}</p>`);
	expect(markup`<ul>${['<', markup`<li>`, [7, undefined]]}</ul>${undefined}`.text).toBe(
		'<ul>&#60;<li>7</ul>',
	);
});
