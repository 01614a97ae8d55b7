import { withSignal } from '../../nodes/BrowserAutomation/transport/cancellation';

const never = new Promise<never>(() => undefined);

describe('work under a signal', () => {
	it('gives its value, or its failure', async () => {
		const { signal } = new AbortController();
		await expect(withSignal(signal, Promise.resolve(7))).resolves.toBe(7);
		await expect(withSignal(signal, Promise.reject(new Error('no')))).rejects.toThrow('no');
	});

	it('is not waited for any longer once the signal is raised', async () => {
		const controller = new AbortController();
		const waited = withSignal(controller.signal, never);
		controller.abort(new Error('too late'));
		await expect(waited).rejects.toThrow('too late');
	});

	it('is not waited for at all when it was raised before', async () => {
		await expect(withSignal(AbortSignal.abort(new Error('over')), never)).rejects.toThrow('over');
	});
});
