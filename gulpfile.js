const { dest, parallel, src } = require('gulp');

/** Icons, next to where the compiled credentials and nodes look for them. */
function icons() {
	return src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
}

/** Codex files: the categories, aliases and links that n8n shows for a node. */
function codex() {
	return src('nodes/**/*.node.json').pipe(dest('dist/nodes'));
}

exports.default = parallel(icons, codex);
