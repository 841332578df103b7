import type { PreviewLoadOutcome } from '../processes/preview-load.js';
import { median } from '../support/compare.js';
import type { PreviewServer, PreviewWorld } from '../support/preview-world.js';
import { cpuMsOf } from '../support/process-usage.js';
import { formatNumber, type ReportLine } from '../support/report.js';

const MARK_CPU_MS = 25;
const REQUESTS_EACH = 2;
const MARK_GAIN = 1.6;
/** After a thousand others, until both threads have compiled what they run all the time: a server's first minute. */
const WARM_UP = 500;
const ROUNDS = 6;
const ALONE = 30;
const TOGETHER = 80;
const AT_ONCE = 16;

interface Run extends PreviewLoadOutcome {
  /** CPU of the server, all threads, for one preview. */
  cpuMs: number | null;
  /** Requests the origin got for one preview. */
  requests: number;
}

interface Round {
  alone: Run;
  together: Run;
}

/** Previews nobody has asked for, one at a time and 16 at a time. */
export async function measureColdPreviews(server: PreviewServer, world: PreviewWorld): Promise<ReportLine[]> {
  await run(server, world, { count: WARM_UP, atOnce: AT_ONCE });
  const rounds: Round[] = [];
  // In turns, so that what else the machine does hits all alike.
  for (let i = 0; i < ROUNDS; i += 1) {
    const alone = await run(server, world, { count: ALONE, atOnce: 1 });
    rounds.push({ alone, together: await run(server, world, { count: TOGETHER, atOnce: AT_ONCE }) });
  }
  const [alone, together] = [rounds.map((each) => each.alone), rounds.map((each) => each.together)];
  return [
    cpuLine('one at a time', alone),
    cpuLine('16 at a time', together),
    requestsLine([...alone, ...together]),
    gainLine(rounds),
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
  const startedMs = performance.now();
  const outcome = await world.load.run({ port, authorization, paths, atOnce, durationMs: null });
  // Thumbnails follow the answers, and belong to what a preview costs.
  await server.settle();
  const seconds = (performance.now() - startedMs) / 1000;
  const after = await cpuMsOf(server.pid);
  const { requests } = await world.origin.run({});
  return {
    ...outcome,
    seconds,
    cpuMs: before === null || after === null ? null : (after - before) / count,
    requests: (requests - requestsBefore) / count,
  };
}

function cpuLine(how: string, runs: readonly Run[]): ReportLine {
  const isWhole = runs.every((each) => each.failed === 0 && each.images === each.answered);
  const each = runs.flatMap(({ cpuMs }) => cpuMs ?? []);
  const cpuMs = each.length < runs.length ? null : median(each);
  const ms = median(runs.map(({ p50Ms }) => p50Ms));
  return {
    case: `cold preview, ${how}`,
    figures: { cpuMs, ms },
    text:
      `${cpuMs === null ? '' : `${formatNumber(cpuMs)} ms CPU, `}answered after ${formatNumber(ms)} ms` +
      (isWhole ? '' : '; NOT every one was answered with its image'),
    mark: `at most ${MARK_CPU_MS} ms CPU, with its image`,
    reached: cpuMs === null ? null : cpuMs <= MARK_CPU_MS && isWhole,
  };
}

function requestsLine(runs: readonly Run[]): ReportLine {
  const requests = Math.max(...runs.map((each) => each.requests));
  return {
    case: 'cold preview, requests to the origin',
    figures: { requests },
    text: `${formatNumber(requests)} each`,
    mark: `exactly ${REQUESTS_EACH}`,
    reached: runs.every((each) => each.requests === REQUESTS_EACH),
  };
}

function gainLine(rounds: readonly Round[]): ReportLine {
  const rate = ({ answered, seconds }: Run) => answered / seconds;
  const alonePerSecond = median(rounds.map(({ alone }) => rate(alone)));
  const perSecond = median(rounds.map(({ together }) => rate(together)));
  const gain = median(rounds.map(({ alone, together }) => rate(together) / rate(alone)));
  return {
    case: 'cold previews, 16 at a time over one',
    figures: { alonePerSecond, perSecond, gain },
    text: `${formatNumber(perSecond)}/s over ${formatNumber(alonePerSecond)}/s: ${formatNumber(gain)} times`,
    mark: `at least ${MARK_GAIN} times on 2 cores`,
    reached: gain >= MARK_GAIN,
  };
}
