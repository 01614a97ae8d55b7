import { readAll } from './reading';
import { Report } from './report';
import { runOnce, type RunOptions } from './running';
import { Service, type Account } from './service';
import { Shapes } from './shapes';

export interface Outcome {
	/** The page that can be handed on. */
	page: string;
	differences: string[];
}

/**
 * Compares the service with what the package takes for granted. Without a run it only reads.
 *
 * @throws Error when the service cannot be reached
 */
export async function checkService(account: Account, run?: RunOptions): Promise<Outcome> {
	const report = new Report();
	const service = new Service(account, await Shapes.load(), report);
	await readAll(service);
	if (run !== undefined) await runOnce(service, run);
	service.reportExchange();
	const title = `${new URL(account.url).host}, ${new Date().toISOString().slice(0, 10)}`;
	return { page: report.page(title, account.key), differences: report.differences };
}
