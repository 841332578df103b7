import type { PreviewServer, PreviewWorld } from '../support/preview-world.js';
import { cpuMsOf } from '../support/process-usage.js';
import { formatNumber, type ReportLine } from '../support/report.js';

const MARK_MS = 120;

/** The very first preview of a server: it loads the client and starts the second thread. */
export async function measureFirstPreview(server: PreviewServer, world: PreviewWorld): Promise<ReportLine> {
  const { pid, port, authorization } = server;
  const before = await cpuMsOf(pid);
  const paths = world.take('page', 1);
  const { failed, p50Ms } = await world.load.run({ port, authorization, paths, atOnce: 1, durationMs: null });
  if (failed > 0) throw new Error('the first preview failed');
  await server.settle();
  const after = await cpuMsOf(pid);
  const cpuMs = before === null || after === null ? null : after - before;
  return {
    case: 'very first preview after a start',
    figures: { ms: p50Ms, cpuMs },
    text: `${formatNumber(p50Ms)} ms${cpuMs === null ? '' : `, ${formatNumber(cpuMs)} ms CPU with its thumbnails`}`,
    mark: `at most ${formatNumber(MARK_MS)} ms`,
    reached: p50Ms <= MARK_MS,
  };
}
