import { median } from './compare.js';
import { formatNumber, type ReportLine } from './report.js';

/** Answers a second, and processor time of all server processes for one. */
export interface Throughput {
  perSecond: number;
  cpuMs: number;
}

/** What is measured against another one. */
export interface Side {
  name: string;
  /** One turn. */
  measure: () => Promise<Throughput>;
}

const TURNS = 5;

/** Measures both in turns and says how many times as much the second does; medians. */
export async function compareThroughput(what: string, first: Side, second: Side): Promise<ReportLine> {
  const turns: [Throughput, Throughput][] = [];
  // The first turn compiles, and is left out.
  for (let turn = 0; turn <= TURNS; turn += 1) {
    const measured: [Throughput, Throughput] = [await first.measure(), await second.measure()];
    if (turn > 0) turns.push(measured);
  }
  const [one, other] = ([0, 1] as const).map((at) => ({
    perSecond: median(turns.map((turn) => turn[at].perSecond)),
    cpuMs: median(turns.map((turn) => turn[at].cpuMs)),
  }));
  const ratio = median(turns.map(([a, b]) => b.perSecond / a.perSecond));
  const shown = (turn?: Throughput) =>
    `${formatNumber(turn?.perSecond ?? 0)}/s, ${formatNumber(turn?.cpuMs ?? 0)} ms CPU`;
  return {
    case: what,
    figures: {
      firstPerSecond: one?.perSecond ?? null,
      firstCpuMs: one?.cpuMs ?? null,
      secondPerSecond: other?.perSecond ?? null,
      secondCpuMs: other?.cpuMs ?? null,
      ratio,
    },
    text: `${first.name} ${shown(one)}; ${second.name} ${shown(other)}: ${ratio.toFixed(2)} times`,
    mark: null,
    reached: null,
  };
}
