import { packPackage, type PackedPackage } from './packedPackage';
import { withProgress, type ReportProgress } from './progress';

/**
 * Packs the built package, and starts an n8n or several that place it for themselves. How far it is
 * is shown. The archive is removed in the end.
 */
export async function startWithPackage<T>(
	start: (given: { packages: PackedPackage[]; report: ReportProgress }) => Promise<T>,
): Promise<T> {
	const packed = await packPackage();
	try {
		return await withProgress(async (report) => await start({ packages: [packed], report }));
	} finally {
		packed.remove();
	}
}
