import type { PreviewServer, PreviewWorld } from '../support/preview-world.js';
import { cpuMsOf, residentBytesOf } from '../support/process-usage.js';
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

const MARK_MB = 250;
const AT_ONCE = 16;
const REST_MS = 3000;
const MB = 1024 * 1024;

/** Memory after many cold previews. */
export async function measureManyPreviews(
  server: PreviewServer,
  world: PreviewWorld,
  paths: string[],
): Promise<ReportLine> {
  const { pid, port, authorization } = server;
  const { failed } = await world.load.run({ port, authorization, paths, atOnce: AT_ONCE, durationMs: null });
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const bytes = await residentBytesOf(pid);
  const mb = bytes === null ? null : bytes / MB;
  return {
    case: `memory (RSS) after ${formatNumber(paths.length)} cold previews`,
    figures: { rssMb: mb, failed },
    text:
      mb === null
        ? 'not measured: no /proc'
        : `${formatNumber(mb)} MB${failed === 0 ? '' : `; ${failed} FAILED`}`,
    mark: `at most ${MARK_MB} MB`,
    reached: mb === null ? null : mb <= MARK_MB && failed === 0,
  };
}
