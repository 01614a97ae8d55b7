import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { captchaField } from '../../fields';
import type { Operation } from '../operation';

export const solveCaptcha: Operation = {
	value: 'solveCaptcha',
	name: 'Solve Captcha',
	action: 'Solve captcha',
	description: 'Let the service solve a captcha',
	fields: [captchaField, concurrencyField],
	request: (values) => ({
		method: 'POST',
		path: '/v2/browser/captcha-solve',
		body: values(captchaField),
	}),
	answer: item,
};
