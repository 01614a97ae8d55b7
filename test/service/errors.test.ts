import {
	errorFacts,
	hasCode,
	InputError,
	ServiceError,
} from '../../nodes/BrowserAutomation/service/errors';

const facts = { code: 7, msg: 'no', traceId: 't-1', httpStatus: 400, retryAfterMs: 5 };

it('what is worth keeping of a refusal is what it is about, its code, words and trace ID', () => {
	const refusal = new ServiceError('what', 'advice', facts);
	Object.assign(refusal.about, { task_id: '9' });
	const { code, msg, traceId, httpStatus } = facts;
	const kept = { task_id: '9', code, msg, traceId, http_status: httpStatus };
	expect(errorFacts(refusal)).toEqual(kept);
});

it('what an error does not know is left out', () => {
	const input = new InputError('what', 'advice');
	Object.assign(input.about, { file: 'a.csv' });
	expect(errorFacts(input)).toStrictEqual({ file: 'a.csv' });
	expect(errorFacts(new ServiceError('what', 'advice'))).toStrictEqual({});
	expect(errorFacts(new Error('a bug'))).toStrictEqual({});
});

it('a code is known by the service’s refusal alone', () => {
	expect(hasCode(new ServiceError('what', 'advice', facts), 7)).toBe(true);
	expect(hasCode(new ServiceError('what', 'advice', facts), 8)).toBe(false);
	expect(hasCode(Object.assign(new Error('a bug'), { facts }), 7)).toBe(false);
});
