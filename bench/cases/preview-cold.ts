import type { PlainThumbnailsJob, PlainThumbnailsOutcome } from '../processes/plain-thumbnails.js';
import type { PreviewLoadOutcome } from '../processes/preview-load.js';
import { startWorker, type Worker } from '../support/child.js';
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
const YARDSTICK = 15;
/** What the five plain thumbnails of such an image took on the machine that the marks were set on, at that time. */
const YARDSTICK_CPU_MS = 19;

interface Run extends PreviewLoadOutcome {
  /** CPU of the server, all threads, for one preview. */
  cpuMs: number | null;
  /** Requests the origin got for one preview. */
  requests: number;
}

type Yardstick = Worker<PlainThumbnailsJob, PlainThumbnailsOutcome>;

interface Round {
  alone: Run;
  together: Run;
  yardstickMs: number;
}

/** Previews nobody has asked for, one at a time and 16 at a time, beside a yardstick that Vidimus has no part in. */
export async function measureColdPreviews(server: PreviewServer, world: PreviewWorld): Promise<ReportLine[]> {
  const yardstick: Yardstick = startWorker('plain-thumbnails');
  try {
    await run(server, world, { count: WARM_UP, atOnce: AT_ONCE });
    await yardstick.run({ times: YARDSTICK });
    const rounds: Round[] = [];
    // In turns, so that what else the machine does hits all alike.
    for (let i = 0; i < ROUNDS; i += 1) {
      const alone = await run(server, world, { count: ALONE, atOnce: 1 });
      const { cpuMs: yardstickMs } = await yardstick.run({ times: YARDSTICK });
      const together = await run(server, world, { count: TOGETHER, atOnce: AT_ONCE });
      rounds.push({ alone, together, yardstickMs });
    }
    return report(rounds);
  } finally {
    await yardstick.end();
  }
}

function report(rounds: readonly Round[]): ReportLine[] {
  const yardstickMs = median(rounds.map((round) => round.yardstickMs));
  const runs = rounds.flatMap(({ alone, together }) => [alone, together]);
  return [
    ...cpuLines('one at a time', { runs: rounds.map(({ alone }) => alone), yardstickMs }),
    ...cpuLines('16 at a time', { runs: rounds.map(({ together }) => together), yardstickMs }),
    requestsLine(runs),
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

/** CPU as it is, and what it would be on the machine of the marks. */
function cpuLines(
  how: string,
  { runs, yardstickMs }: { runs: readonly Run[]; yardstickMs: number },
): ReportLine[] {
  const isWhole = runs.every((each) => each.failed === 0 && each.images === each.answered);
  const each = runs.flatMap(({ cpuMs }) => cpuMs ?? []);
  const cpuMs = each.length < runs.length ? null : median(each);
  const ms = median(runs.map(({ p50Ms }) => p50Ms));
  const mark = `at most ${MARK_CPU_MS} ms CPU, with its image`;
  const verdict = (spentMs: number | null) => (spentMs === null ? null : spentMs <= MARK_CPU_MS && isWhole);
  const said = (spentMs: number | null) => (spentMs === null ? '' : `${formatNumber(spentMs)} ms CPU, `);
  const scaledMs = cpuMs === null ? null : (cpuMs * YARDSTICK_CPU_MS) / yardstickMs;
  return [
    {
      case: `cold preview, ${how}`,
      figures: { cpuMs, ms },
      text:
        `${said(cpuMs)}answered after ${formatNumber(ms)} ms` +
        (isWhole ? '' : '; NOT every one was answered with its image'),
      mark,
      reached: verdict(cpuMs),
    },
    {
      case: `the same where five plain thumbnails take ${YARDSTICK_CPU_MS} ms`,
      figures: { scaledMs, yardstickMs },
      text: `${said(scaledMs)}here they take ${formatNumber(yardstickMs)} ms`,
      mark,
      reached: verdict(scaledMs),
    },
  ];
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
