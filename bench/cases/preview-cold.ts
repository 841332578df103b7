import type { PreviewLoadOutcome } from '../processes/preview-load.js';
import type { PreviewServer, PreviewWorld } from '../support/preview-world.js';
import { cpuMsOf } from '../support/process-usage.js';
import { formatNumber } from '../support/report.js';
import type { ReportLine } from '../support/report.js';

const MARK_CPU_MS = 25;
const REQUESTS_EACH = 2;
const MARK_GAIN = 1.6;
/** Until both threads have compiled what they run all the time. */
const WARM_UP = 300;
const ALONE = 100;
const TOGETHER = 200;
const AT_ONCE = 16;

interface Run extends PreviewLoadOutcome {
  /** CPU of the server, all threads, for one preview. */
  cpuMs: number | null;
  /** Requests the origin got for one preview. */
  requests: number;
}

/** Previews nobody has asked for: one at a time, then 16 at a time. */
export async function measureColdPreviews(server: PreviewServer, world: PreviewWorld): Promise<ReportLine[]> {
  await run(server, world, { count: WARM_UP, atOnce: AT_ONCE });
  // In turns, so that what else the machine does hits both alike.
  const alone = await run(server, world, { count: ALONE / 2, atOnce: 1 });
  const together = await run(server, world, { count: TOGETHER, atOnce: AT_ONCE });
  const again = await run(server, world, { count: ALONE / 2, atOnce: 1 });
  const seconds = alone.seconds + again.seconds;
  const gain = together.answered / together.seconds / (ALONE / seconds);
  const runs = [alone, together, again];
  const requests = Math.max(...runs.map((each) => each.requests));
  const isWhole = runs.every((each) => each.failed === 0 && each.pictures === each.answered);
  const aloneCpuMs = alone.cpuMs === null || again.cpuMs === null ? null : (alone.cpuMs + again.cpuMs) / 2;
  return [
    cpuLine('cold preview, one at a time', aloneCpuMs, { ms: again.p50Ms, isWhole }),
    cpuLine('cold preview, 16 at a time', together.cpuMs, { ms: together.p50Ms, isWhole }),
    {
      case: 'cold preview, requests to the origin',
      figures: { requests },
      text: `${formatNumber(requests)} each`,
      mark: `exactly ${REQUESTS_EACH}`,
      reached: runs.every((each) => each.requests === REQUESTS_EACH),
    },
    {
      case: 'cold previews, 16 at a time over one',
      figures: { alonePerSecond: ALONE / seconds, perSecond: together.answered / together.seconds, gain },
      text:
        `${formatNumber(together.answered / together.seconds)}/s over ${formatNumber(ALONE / seconds)}/s: ` +
        `${formatNumber(gain)} times`,
      mark: `at least ${MARK_GAIN} times on 2 cores`,
      reached: gain >= MARK_GAIN,
    },
  ];
}

async function run(
  server: PreviewServer,
  world: PreviewWorld,
  { count, atOnce }: { count: number; atOnce: number },
): Promise<Run> {
  const { port, authorization } = server;
  const paths = world.take('page', count);
  const { requests: requestsBefore } = await world.origin.run({});
  const before = await cpuMsOf(server.pid);
  const outcome = await world.load.run({ port, authorization, paths, atOnce, durationMs: null });
  const after = await cpuMsOf(server.pid);
  const { requests } = await world.origin.run({});
  return {
    ...outcome,
    cpuMs: before === null || after === null ? null : (after - before) / count,
    requests: (requests - requestsBefore) / count,
  };
}

function cpuLine(
  title: string,
  cpuMs: number | null,
  { ms, isWhole }: { ms: number; isWhole: boolean },
): ReportLine {
  return {
    case: title,
    figures: { cpuMs, ms },
    text:
      `${cpuMs === null ? '' : `${formatNumber(cpuMs)} ms CPU, `}${formatNumber(ms)} ms` +
      (isWhole ? '' : '; NOT every one was answered with its picture'),
    mark: `at most ${MARK_CPU_MS} ms CPU, with its picture`,
    reached: cpuMs === null ? null : cpuMs <= MARK_CPU_MS && isWhole,
  };
}
