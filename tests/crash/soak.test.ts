import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { Ledger } from '../../bench/soak/ledger.js';
import { excuses, type Failure } from '../../bench/soak/outage.js';
import { judge, judgeAfterKills, type Sample } from '../../bench/soak/verdict.js';

const NAMES = 100;
const WORK = { names: NAMES, downloads: 400, starts: 1 };
const LOOK_MS = 10_000;

/** A level server, looked at for twenty minutes. */
function series(
  change: (sample: Sample, share: number) => Partial<Sample> = () => ({}),
  looks = 120,
): Sample[] {
  return Array.from({ length: looks }, (_, index) => {
    const rows = { job_run: 250, media: 300, key_record: NAMES, metric_point: index };
    const figures = { residentMb: 300, heapMb: 100, externalMb: 30, handles: 50, walMb: 1, rows };
    const sample = { atMs: index * LOOK_MS, ...figures };
    return { ...sample, ...change(sample, index / looks) };
  });
}

function problemsOf(samples: Sample[]): string[] {
  return judge(samples, WORK)
    .filter(({ problem }) => problem !== '')
    .map(({ figure, problem }) => `${figure}: ${problem}`);
}

describe('the verdict on a soak', () => {
  it('finds nothing on a server that is level once it is warm', () => {
    const warming = (_: Sample, share: number) => ({ residentMb: 300 - 150 * Math.max(0, 0.4 - share) });
    expect(problemsOf(series(warming))).toEqual([]);
  });

  it.each<[string, string, (sample: Sample, share: number) => Partial<Sample>]>([
    ['memory', 'memory, MB: grows', (_, share) => ({ residentMb: 200 + 200 * share })],
    ['file handles', 'file handles: grows', (_, share) => ({ handles: 50 + Math.round(60 * share) })],
    ['the log', 'write-ahead log at most, MB: is too large', (_, share) => ({ walMb: share > 0.5 ? 65 : 1 })],
    [
      'a bounded table',
      'rows of job_run: grows',
      ({ rows }, share) => ({ rows: { ...rows, job_run: Math.round(250 * (1 + 4 * share)) } }),
    ],
    [
      'a table nobody knows',
      'rows of new_table: grows',
      ({ rows }, share) => ({ rows: { ...rows, new_table: Math.round(300 * share) } }),
    ],
    [
      'a table kept for ever',
      'rows of key_record, kept for ever: more than 1 for each name',
      ({ rows }, share) => ({ rows: { ...rows, key_record: Math.round(NAMES * (1 + share)) } }),
    ],
    [
      'rows nobody counted',
      'rows: were not counted',
      (sample, share) => (share > 0.7 ? { rows: null } : sample),
    ],
  ])('finds the growth of %s', (_, problem, change) => {
    expect(problemsOf(series(change))).toEqual([problem]);
  });

  it('does not call a short series level', () => {
    expect(problemsOf(series(undefined, 40))).toEqual(['minutes: too short to tell']);
    expect(problemsOf([])).toEqual(['minutes: too short to tell']);
  });

  it('finds what kills leave behind', () => {
    const leftovers = {
      atMs: 1e7,
      rows: { job_run: 300, media: 500, key_record: NAMES },
      temporaryFiles: 11,
    };
    const found = judgeAfterKills(series(), { work: WORK, leftovers });
    expect(found.filter(({ problem }) => problem !== '').map(({ figure }) => figure)).toEqual([
      'after the kills: temporary files',
      'after the kills: rows of job_run',
      'after the kills: rows of media, kept 2 days',
    ]);
  });
});

describe('what a soak excuses', () => {
  const failure = (status: number | null, more: Partial<Failure> = {}): Failure => ({
    status,
    hasRetryAfter: true,
    reason: '',
    isNew: true,
    ...more,
  });

  it('nothing while nothing is wrong', () => {
    for (const status of [500, 502, 503, 504, null]) expect(excuses(null, failure(status))).toBe(false);
  });

  it.each([
    ['store', [502, 503]],
    ['server', [502, 503, null]],
    ['origins', [502, 504]],
    ['disk', [502, 503]],
  ] as const)('of an outage of the %s: %j', (outage, excused) => {
    const all = [404, 500, 502, 503, 504, null];
    expect(all.filter((status) => excuses(outage, failure(status)))).toEqual(excused);
  });

  it('no refusal that does not say when to come again, and no known answer for want of an origin or room', () => {
    expect(excuses('store', failure(503, { hasRetryAfter: false }))).toBe(false);
    expect(excuses('origins', failure(504, { isNew: false }))).toBe(false);
    expect(excuses('disk', failure(500, { reason: 'disk_full' }))).toBe(true);
    expect(excuses('disk', failure(500, { reason: 'disk_full', isNew: false }))).toBe(false);
  });

  it('no other answer than before', () => {
    const ledger = new Ledger();
    for (const title of ['Rivers', 'Rivers', 'Hills']) ledger.good('known preview', 'preview /a', title);
    expect(ledger.counts()).toEqual({ 'known preview: good': 2, 'known preview: wrong': 1 });
    expect(ledger.wrong).toEqual([
      expect.stringMatching(/known preview: preview \/a: "Rivers" became "Hills"$/),
    ]);
  });
});

describe('npm run soak', () => {
  it('runs, and ends with 1 for nothing but that it was too short', async ({ signal }) => {
    const pace = ['--fault-seconds', '0.3', '--recovery-seconds', '1', '--calm-seconds', '1'];
    const args = ['--engine', 'sqlite', '--minutes', '0.05', '--kills', '1', ...pace];
    const run = promisify(execFile)(process.execPath, ['--import', 'tsx', 'bench/soak/main.ts', ...args], {
      signal,
    });
    const { code, stdout } = (await run.catch((error: unknown) => error)) as {
      code?: number;
      stdout: string;
    };
    const told = stdout.split('\n').filter((line) => /^(?:WRONG|SOAK)/.test(line));
    expect(told).toEqual(['WRONG: minutes: too short to tell', 'SOAK: 1 problems']);
    expect(code).toBe(1);
    const [, keys, previews] = /^answered: (\d+) records, (\d+) previews/m.exec(stdout) ?? [];
    expect(Math.min(Number(keys), Number(previews))).toBeGreaterThan(0);
  });
});
