import { compare, type Contestants } from '../support/compare.js';
import type { PreviewServer, PreviewWorld } from '../support/preview-world.js';
import { cpuMsOf } from '../support/process-usage.js';
import { formatNumber, type ReportLine } from '../support/report.js';

const MIN_RATIO = 0.5;
const MARK_STORED_CPU_MS = 0.3;
const AT_ONCE = 16;
const WARM_UP = 50;

/** One preview from memory, against a bare `node:http` server that checks the same header. */
export async function measureWarmPreview(
  server: PreviewServer,
  { bare, load }: Omit<Contestants, 'vidimus'>,
  path: string,
): Promise<ReportLine> {
  const { authorization } = server;
  const request = { method: 'GET' as const, path, body: null, authorization };
  const result = await compare({ vidimus: server, bare, load }, request, false);
  const { vidimus, bare: ofBare, ratio } = result;
  return {
    case: 'preview from memory',
    figures: {
      perSecond: vidimus.perSecond,
      cpuMs: vidimus.cpuMs,
      p99Ms: vidimus.p99Ms,
      barePerSecond: ofBare.perSecond,
      ratio,
    },
    text:
      `${formatNumber(vidimus.perSecond)}/s (p99 ${formatNumber(vidimus.p99Ms)} ms); ` +
      `bare ${formatNumber(ofBare.perSecond)}/s: ${Math.round(ratio * 100)} %`,
    mark: 'at least 50 % of bare',
    reached: ratio >= MIN_RATIO,
  };
}

/** Previews that an earlier start has stored; each is asked for once. */
export async function measureStoredPreviews(
  server: PreviewServer,
  world: PreviewWorld,
  stored: readonly string[],
): Promise<ReportLine> {
  const { port, authorization } = server;
  const ask = (paths: string[]) =>
    world.load.run({ port, authorization, paths, atOnce: AT_ONCE, durationMs: null });
  await ask(stored.slice(0, WARM_UP));
  const { requests: requestsBefore } = await world.origin.run({});
  const before = await cpuMsOf(server.pid);
  const { answered, failed, p50Ms } = await ask(stored.slice(WARM_UP));
  const after = await cpuMsOf(server.pid);
  const { requests } = await world.origin.run({});
  const cpuMs = before === null || after === null ? null : (after - before) / answered;
  const isStored = failed === 0 && requests === requestsBefore;
  return {
    case: `preview from the database, after a restart, ${AT_ONCE} at once`,
    figures: { cpuMs, ms: p50Ms, previews: answered },
    text:
      `${cpuMs === null ? '' : `${formatNumber(cpuMs)} ms CPU, `}${formatNumber(p50Ms)} ms` +
      (isStored ? '' : '; NOT all came from the database'),
    mark: `at most ${MARK_STORED_CPU_MS} ms CPU`,
    reached: cpuMs === null ? null : cpuMs <= MARK_STORED_CPU_MS && isStored,
  };
}
