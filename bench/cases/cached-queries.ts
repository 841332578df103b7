import { compare, type Comparison, type Contestants } from '../support/compare.js';
import { formatNumber, type ReportLine } from '../support/report.js';
import { allKeys, batch, oneKey, type BenchRequest } from '../support/requests.js';

const MIN_RATIO = 0.5;
/** Of a server that reads the question as well. */
const MIN_PARSED_RATIO = 0.6;
const MIN_BATCH_RATE = 2000;
const BARE_RATE_FOR_MIN = 5000;

interface CachedCase {
  title: string;
  request: BenchRequest;
  kind: 'marked' | 'marked batch' | 'marked parsed' | 'for comparison';
}

/** Queries that are answered from the cache, each against a bare `node:http` server with the same bytes. */
export async function measureCachedQueries(
  contestants: Contestants,
  serverNames: readonly string[],
  keyId: string,
): Promise<ReportLine[]> {
  const [first = ''] = serverNames;
  const minimumTs = Date.now();
  const hundred = batch(serverNames, keyId, minimumTs);
  const varying = { ...hundred, varying: String(minimumTs) };
  const cases: CachedCase[] = [
    { title: 'GET all keys of 1 server', request: allKeys(first), kind: 'marked' },
    { title: 'GET one key id (deprecated, warns)', request: oneKey(first, keyId), kind: 'for comparison' },
    { title: 'POST 1 server', request: batch([first], keyId, minimumTs), kind: 'marked' },
    { title: 'POST 100 servers, the same question again', request: hundred, kind: 'marked batch' },
    { title: 'POST 100 servers, other minimums each time', request: varying, kind: 'for comparison' },
    {
      title: 'POST 100 servers, other minimums each time, bare with JSON.parse',
      request: varying,
      kind: 'marked parsed',
    },
  ];
  const lines: ReportLine[] = [];
  for (const cached of cases) {
    const result = await compare(contestants, cached.request, cached.kind === 'marked parsed');
    lines.push(lineOf(cached, result));
  }
  return lines;
}

function lineOf({ title, kind }: CachedCase, result: Comparison): ReportLine {
  const { vidimus, bare, ratio } = result;
  const fastEnough = bare.perSecond < BARE_RATE_FOR_MIN || vidimus.perSecond >= MIN_BATCH_RATE;
  const marks = {
    marked: { mark: 'at least 50 % of bare', reached: ratio >= MIN_RATIO },
    'marked batch': {
      mark: 'at least 50 % of bare, 2,000/s where bare does 5,000/s',
      reached: ratio >= MIN_RATIO && fastEnough,
    },
    'marked parsed': { mark: 'at least 60 % of bare', reached: ratio >= MIN_PARSED_RATIO },
    'for comparison': { mark: null, reached: null },
  };
  const cpu = (ms: number | null) => (ms === null ? '' : ` at ${formatNumber(ms)} ms CPU`);
  return {
    case: title,
    figures: {
      perSecond: vidimus.perSecond,
      cpuMs: vidimus.cpuMs,
      p50Ms: vidimus.p50Ms,
      p99Ms: vidimus.p99Ms,
      barePerSecond: bare.perSecond,
      bareCpuMs: bare.cpuMs,
      ratio,
    },
    text:
      `${formatNumber(vidimus.perSecond)}/s${cpu(vidimus.cpuMs)} (p99 ${formatNumber(vidimus.p99Ms)} ms); ` +
      `bare ${formatNumber(bare.perSecond)}/s${cpu(bare.cpuMs)}: ${Math.round(ratio * 100)} %`,
    ...marks[kind],
  };
}
