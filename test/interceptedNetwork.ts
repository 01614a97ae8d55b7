import nock from 'nock';

/**
 * nock for the tests of one file. Test files share Node's own modules with the files that the same
 * worker runs next, so it has to leave them as they were.
 */
export function interceptNetwork(): typeof nock {
	beforeAll(() => {
		if (!nock.isActive()) nock.activate();
	});
	afterEach(() => nock.cleanAll());
	afterAll(() => nock.restore());
	return nock;
}
