import type { ProbeJob, ProbeOutcome } from '../processes/preview-probe.js';
import type { Worker } from '../support/child.js';
import type { PreviewServer, PreviewWorld } from '../support/preview-world.js';
import { formatNumber, type ReportLine } from '../support/report.js';

const MARK_P99_MS = 10;
const MARK_DELAY_MS = 20;
const INTERVAL_MS = 10;
/** The first previews load the fetcher, start the second thread, and find code that is not compiled yet. */
const WARM_UP = 600;
/** By then the probers' own code is compiled; else their first requests are among the slowest. */
const PROBERS_WARM_UP_MS = 2000;
const AT_ONCE = 16;
const DELAY = 'nodejs_eventloop_lag_p99_seconds';
/** The meter fires so often, and counts from one firing to the next: an idle loop shows this much. */
const METER_INTERVAL_MS = 10;

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
  /** Asks a bare server for the same bytes, to tell how much of the waiting is for a turn on the processors. */
  bareProbe: Probe;
  barePort: number;
}

/**
 * A cached key query every 10 ms while something heavy goes on. The delay of the event loop is what
 * `monitorEventLoopDelay` says, without its own interval.
 */
export async function measureNeighbours(
  server: PreviewServer,
  world: PreviewWorld,
  { probe, keyPath, bareProbe, barePort }: Neighbours,
  disturbance: Disturbance,
): Promise<ReportLine[]> {
  const { port, authorization } = server;
  const { title, kind, atOnce, durationMs } = disturbance;
  const warmUp = world.take('page', WARM_UP);
  const warmAsking = { path: keyPath, intervalMs: INTERVAL_MS, durationMs: PROBERS_WARM_UP_MS };
  await Promise.all([
    world.load.run({ port, authorization, paths: warmUp, atOnce, durationMs: null }),
    probe.run({ ...warmAsking, port }),
    bareProbe.run({ ...warmAsking, port: barePort }),
  ]);
  const paths = world.take(kind, 4000);
  // Reading the metric begins it anew.
  await server.metric(DELAY);
  const asking = { path: keyPath, intervalMs: INTERVAL_MS, durationMs };
  const [load, queries, bare] = await Promise.all([
    world.load.run({ port, authorization, paths, atOnce, durationMs }),
    probe.run({ ...asking, port }),
    bareProbe.run({ ...asking, port: barePort }),
  ]);
  const shownMs = (await server.metric(DELAY)) * 1000;
  const delayMs = Math.max(0, shownMs - METER_INTERVAL_MS);
  const previews = `${load.answered} previews`;
  return [
    {
      case: `cached key query while ${title}`,
      figures: {
        p50Ms: queries.p50Ms,
        p99Ms: queries.p99Ms,
        maxMs: queries.maxMs,
        bareP99Ms: bare.p99Ms,
        previews: load.answered,
      },
      text:
        `p99 ${formatNumber(queries.p99Ms)} ms (p50 ${formatNumber(queries.p50Ms)}, ` +
        `max ${formatNumber(queries.maxMs)}); a bare server's p99 ${formatNumber(bare.p99Ms)}; ${previews}`,
      mark: `p99 at most ${MARK_P99_MS} ms`,
      reached: queries.p99Ms <= MARK_P99_MS && load.failed === 0,
    },
    {
      case: `event loop while ${title}`,
      figures: { delayP99Ms: delayMs, shownP99Ms: shownMs },
      text:
        `delay p99 ${formatNumber(delayMs)} ms (${formatNumber(shownMs)} with the meter's own interval)` +
        (load.failed === 0 ? '' : `; ${load.failed} previews FAILED`),
      mark: `p99 at most ${MARK_DELAY_MS} ms`,
      reached: shownMs > 0 && delayMs <= MARK_DELAY_MS,
    },
  ];
}
