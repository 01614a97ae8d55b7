import {
	ConnectionError,
	errorFacts,
	hasCode,
	InputError,
	messageOf,
	ServiceError,
} from '../../nodes/BrowserAutomation/service/errors';

const facts = { code: 7, msg: 'no', traceId: 't-1', httpStatus: 400, retryAfterMs: 5 };

it('what is worth keeping of a refusal is what it is about, its code, words and trace ID', () => {
	const refusal = new ServiceError('what', 'advice', facts);
	Object.assign(refusal.about, { task_id: '9' });
	expect(errorFacts(refusal)).toEqual({
		task_id: '9',
		code: 7,
		msg: 'no',
		traceId: 't-1',
		http_status: 400,
	});
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

it('an error has the name of its kind, and of a connection whether the request may have arrived', () => {
	expect(new InputError('what', 'advice').name).toBe('InputError');
	const error = new ConnectionError('it broke', false);
	expect(error).toMatchObject({
		name: 'ConnectionError',
		message: 'The service could not be reached: it broke',
		mayHaveArrived: false,
	});
});

it('what was thrown is shown, whether or not it is an error', () => {
	expect(messageOf(new Error('it broke'))).toBe('it broke');
	expect(messageOf('it broke')).toBe('it broke');
});
