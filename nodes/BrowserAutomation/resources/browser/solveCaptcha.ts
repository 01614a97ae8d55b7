import { ask, at, captchaField, item, type Operation } from '../operation';

export const solveCaptcha: Operation = {
	name: 'Solve Captcha',
	action: 'Solve captcha',
	description: 'Let the service solve a captcha',
	...ask('POST', at`/v2/browser/captcha-solve`, { body: captchaField }),
	answer: item,
};
