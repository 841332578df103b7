/** A look at the server. */
export interface Sample {
  atMs: number;
  residentMb: number;
  /** `null`: not read with this look. */
  heapMb: number | null;
  /** Outside of it, of which its objects know. */
  externalMb: number | null;
  handles: number;
  walMb: number;
  /** By table; `null`: not counted with this look. */
  rows: Record<string, number> | null;
}

/** A figure as it was and as it is, and why that is no level. */
export interface Finding {
  figure: string;
  before: number;
  last: number;
  /** Empty: it is level. */
  problem: string;
}

/** Shorter ones say nothing: caches and heap are still filling. */
const LEAST_MINUTES = 10;
const MINUTE_MS = 60_000;
/** What the last quarter may have more than the third. */
const MEMORY_GROWTH = 1.1;
const HANDLES_MORE = 10;
const MAX_WAL_MB = 64;
/** What the last quarter may have more rows than there ever were before; a few rows are not a trend. */
const ROWS_GROWTH = 1.1;
const ROWS_MORE = 20;

const MAX_TEMPORARY_FILES = 10;

/** A table that keeps its rows for longer than a soak takes. */
interface Kept {
  until: string;
  /** The most rows for each of that. */
  rows: number;
  of: 'name' | 'download' | 'start' | 'minute' | 'server';
}

const KEPT: Readonly<Record<string, Kept>> = {
  remote_server: { until: 'for ever', rows: 1, of: 'name' },
  key_record: { until: 'for ever', rows: 1, of: 'name' },
  newest_record: { until: 'for ever', rows: 1, of: 'name' },
  verify_key: { until: 'for ever', rows: 2, of: 'name' },
  key_event: { until: 'for ever', rows: 3, of: 'name' },
  log_entry: { until: 'for ever', rows: 1, of: 'name' },
  key_fetch: { until: '30 days', rows: 5, of: 'name' },
  preview_cache: { until: 'an hour or more', rows: 1, of: 'download' },
  media: { until: '2 days', rows: 1, of: 'download' },
  media_thumbnail: { until: '2 days', rows: 4, of: 'download' },
  audit_event: { until: 'a year', rows: 2, of: 'start' },
  metric_point: { until: 'days', rows: 20, of: 'minute' },
  // Counted seldom: the first time there is little to count.
  store_total: { until: 'the next count', rows: 450, of: 'server' },
};

/** What there was until the last look: names asked for, pages and pictures asked of web sites, starts. */
export interface Work {
  names: number;
  downloads: number;
  /** Of the server. */
  starts: number;
}

/** Of a series in the order of time. */
export function judge(samples: readonly Sample[], work: Work): Finding[] {
  const minutes = minutesOf(samples);
  const quarter = Math.floor(samples.length / 4);
  const [third, last] = [samples.slice(-2 * quarter, -quarter), samples.slice(-quarter)];
  const findings: Finding[] = [
    finding('minutes', [LEAST_MINUTES, minutes], minutes < LEAST_MINUTES ? 'too short to tell' : ''),
  ];
  if (quarter === 0) return findings;
  const middles = (of: (sample: Sample) => number | null): [number, number] => [
    median(third.map(of)),
    median(last.map(of)),
  ];
  const memory = middles(({ residentMb }) => residentMb);
  const handles = middles(({ handles: open }) => open);
  const wal = Math.max(...samples.map(({ walMb }) => walMb));
  findings.push(
    finding('memory, MB', memory, memory[1] > MEMORY_GROWTH * memory[0] ? 'grows' : ''),
    finding(
      'of it heap of the main thread, MB',
      middles(({ heapMb }) => heapMb),
      '',
    ),
    finding(
      'of it outside, known to objects, MB',
      middles(({ externalMb }) => externalMb),
      '',
    ),
    finding('file handles', handles, handles[1] > handles[0] + HANDLES_MORE ? 'grows' : ''),
    finding('write-ahead log at most, MB', [MAX_WAL_MB, wal], wal > MAX_WAL_MB ? 'is too large' : ''),
  );
  return [...findings, ...judgeRows(samples, quarter, work)];
}

/** What was found on a server that was killed again and again and then left alone. */
export interface Leftovers {
  atMs: number;
  rows: Record<string, number> | null;
  temporaryFiles: number;
}

/** `samples` are of the time before the kills. */
export function judgeAfterKills(
  samples: readonly Sample[],
  { work, leftovers }: { work: Work; leftovers: Leftovers },
): Finding[] {
  const { rows, temporaryFiles, atMs } = leftovers;
  const files = temporaryFiles > MAX_TEMPORARY_FILES ? 'are never removed' : '';
  const last = { atMs, residentMb: 0, heapMb: null, externalMb: null, handles: 0, walMb: 0, rows };
  const all = [...samples, last];
  const findings = judgeRows(all, 1, work).map((found) => ({
    ...found,
    figure: `after the kills: ${found.figure}`,
  }));
  return [
    finding('after the kills: temporary files', [MAX_TEMPORARY_FILES, temporaryFiles], files),
    ...findings,
  ];
}

/** Every table is judged by its last looks: what is not known to be kept has to be level. */
function judgeRows(
  samples: readonly Sample[],
  lastLooks: number,
  { names, downloads, starts }: Work,
): Finding[] {
  const happened = {
    name: names,
    download: downloads,
    start: starts,
    minute: minutesOf(samples),
    server: 1,
  };
  const most = (part: readonly Sample[], table: string): number =>
    Math.max(0, ...part.flatMap(({ rows }) => rows?.[table] ?? []));
  const tables = new Set(samples.flatMap(({ rows }) => Object.keys(rows ?? {})));
  const looks = samples.slice(-lastLooks).filter(({ rows }) => rows !== null).length;
  if (looks === 0) return [finding('rows', [tables.size, 0], 'were not counted')];
  return [...tables].toSorted().map((table) => {
    const [before, last] = [
      most(samples.slice(0, -lastLooks), table),
      most(samples.slice(-lastLooks), table),
    ];
    const kept = KEPT[table];
    if (kept !== undefined) {
      const isMore = last > kept.rows * happened[kept.of] + ROWS_MORE;
      const problem = isMore ? `more than ${kept.rows} for each ${kept.of}` : '';
      return finding(`rows of ${table}, kept ${kept.until}`, [before, last], problem);
    }
    const problem = last > ROWS_GROWTH * before + ROWS_MORE ? 'grows' : '';
    return finding(`rows of ${table}`, [before, last], problem);
  });
}

function minutesOf(samples: readonly Sample[]): number {
  return ((samples.at(-1)?.atMs ?? 0) - (samples[0]?.atMs ?? 0)) / MINUTE_MS;
}

function finding(figure: string, [before, last]: readonly [number, number], problem: string): Finding {
  return { figure, before, last, problem };
}

/** Of those that were read; 0 of none. */
function median(values: readonly (number | null)[]): number {
  const read = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  return read[Math.floor(read.length / 2)] ?? 0;
}
