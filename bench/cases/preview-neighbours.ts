import type { ProbeJob, ProbeOutcome } from '../processes/preview-probe.js';
import type { Worker } from '../support/child.js';
import type { PreviewServer, PreviewWorld } from '../support/preview-world.js';
import { formatNumber, type ReportLine } from '../support/report.js';

const MARK_P99_MS = 10;
const INTERVAL_MS = 10;
/** The first previews load the fetcher, start the second thread, and find code that is not compiled yet. */
const WARM_UP = 600;
/** By then the probers' own code is compiled; else their first requests are among the slowest. */
const PROBERS_WARM_UP_MS = 2000;
const AT_ONCE = 16;

/** What is asked for all the time while keys are queried. */
export interface Disturbance {
  title: string;
  kind: 'page' | 'hostile';
  atOnce: number;
  durationMs: number;
}

/** The same again and again: previews of pages, and the largest page the parser can be given. */
export const DISTURBANCES: readonly Disturbance[] = [
  { title: '16 cold previews run', kind: 'page', atOnce: AT_ONCE, durationMs: 10_000 },
  { title: '10 MiB hostile pages are parsed', kind: 'hostile', atOnce: 1, durationMs: 6000 },
];

/** A process that is asked at even intervals. */
export type Probe = Worker<ProbeJob, ProbeOutcome>;

/** Who is asked all the time. */
export interface Neighbours {
  /** Asks for a cached key. */
  probe: Probe;
  keyPath: string;
}

/** A cached key query every 10 ms while something heavy goes on. */
export async function measureNeighbours(
  server: PreviewServer,
  world: PreviewWorld,
  { probe, keyPath }: Neighbours,
  disturbance: Disturbance,
): Promise<ReportLine> {
  const { port, authorization } = server;
  const { title, kind, atOnce, durationMs } = disturbance;
  const warmUp = world.take('page', WARM_UP);
  const warmAsking = { path: keyPath, intervalMs: INTERVAL_MS, durationMs: PROBERS_WARM_UP_MS };
  await Promise.all([
    world.load.run({ port, authorization, paths: warmUp, atOnce, durationMs: null }),
    probe.run({ ...warmAsking, port }),
  ]);
  const paths = world.take(kind, 4000);
  const asking = { path: keyPath, intervalMs: INTERVAL_MS, durationMs };
  const [load, queries] = await Promise.all([
    world.load.run({ port, authorization, paths, atOnce, durationMs }),
    probe.run({ ...asking, port }),
  ]);
  return {
    case: `cached key query while ${title}`,
    figures: { p50Ms: queries.p50Ms, p99Ms: queries.p99Ms, maxMs: queries.maxMs, previews: load.answered },
    text:
      `p99 ${formatNumber(queries.p99Ms)} ms (p50 ${formatNumber(queries.p50Ms)}, ` +
      `max ${formatNumber(queries.maxMs)}); ${load.answered} previews` +
      (load.failed === 0 ? '' : `; ${load.failed} FAILED`),
    mark: `p99 at most ${MARK_P99_MS} ms`,
    reached: queries.p99Ms <= MARK_P99_MS && load.failed === 0,
  };
}
