import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { perfParts } from '../../bench/support/perf-parts.js';
import { commitToRecord, type RecordedVersion } from '../../bench/support/record.js';
import { benchFiles, recordedVersions } from '../../scripts/docs/bench/bench-page.js';
import { count, figure } from '../../scripts/docs/bench/line-chart.js';
import { ROOT, readText } from './repository-files.js';

const versions = recordedVersions(ROOT);
const PAGE = 'docs/bench/README.md';
const ask = (...args: string[]) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });

const charts = [...benchFiles(versions)].filter(([path]) => path.endsWith('.svg'));

it('holds every recorded figure in a table, with what was reached', () => {
  const page = readText(PAGE);
  const rows = page.split('\n').filter((line) => line.startsWith('| '));
  const missing = versions.slice(0, 1).flatMap(({ suites }) =>
    Object.values(suites).flatMap(({ lines }) =>
      lines.filter(({ at, case: name, figures }) => {
        const row = rows.filter((line) => line.startsWith(`| ${at?.series ?? name.replaceAll('|', String.raw`\|`)} |`));
        const values = at === undefined ? Object.values(figures) : [figures['cpuMs'] ?? figures['rssMb']!];
        return !values.every((value) => row.some((line) => line.includes(value === null ? '–' : figure(value))));
      }),
    ),
  );

  expect(rows.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});

it.each(['docs/BENCH.md', 'docs/RELIABILITY.md'])('%s names for each table of figures what measured them', (page) => {
  const sections = readText(page).split(/^(?=#+ )/m);
  const tables = sections.filter((section) => /^\|---/m.test(section) && /\d (?:ms|s|MB|kB|%|µs)\b/.test(section));
  const isNamed = (section: string) =>
    /`(?:npm run (?:bench|soak)|npx tsx bench)|\.test\.ts/.test(section);
  expect(tables.length).toBeGreaterThan(1);
  expect(sections.join('').match(/\b(?:by hand|as reported|by the code)\b.*/g)).toBeNull();
  expect(tables.filter((section) => !isNamed(section)).map((section) => section.split('\n')[0])).toEqual([]);
});

it('names no place of the machine that measured', () => {
  const texts = versions.map((version) => JSON.stringify(version));
  expect(texts.filter((text) => /\/(?:home|root|tmp|work|Users)\b|https?:/.test(text))).toEqual([]);
});

/** Why history cannot be asked; `null` where all of it is here. */
const noHistory = ask('rev-parse', '--is-shallow-repository').stdout.trim() === 'false' ? null : 'skipped: no history';

it.runIf(noHistory === null)(`names the commits that were measured, which are in this history ${noHistory ?? ''}`, () => {
  const commits = versions.flatMap(({ suites }) => Object.values(suites).map(({ commit }) => commit));
  const isHere = (commit: string) => ask('merge-base', '--is-ancestor', `${commit}^{commit}`, 'HEAD').status === 0;

  expect(commits.length).toBeGreaterThan(0);
  expect(commits.filter((commit) => !isHere(commit))).toEqual([]);
});

describe('what is recorded', () => {
  let root: string;
  const write = (file: string, text: string) => {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'vidimus-record-'));
    write('src/a.ts', '1\n');
    write('docs/bench/0.0.1.json', '{}\n');
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@a.test'];
    for (const args of [['init', '-q'], ['add', '.'], [...who, 'commit', '-q', '-m', 'a']])
      execFileSync('git', args, { cwd: root });
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it('is of a commit, results beside it recorded before', () => {
    write('docs/bench/0.0.1.json', '{"a":1}\n');
    const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });

    expect(head.startsWith(commitToRecord(root))).toBe(true);
  });

  it.each(['src/a.ts', 'bench/new.ts'])('is of nothing that was changed since: %s', (file) => {
    write(file, '2\n');

    expect(() => commitToRecord(root)).toThrow(/only what is committed is recorded[^]*(?:src\/a\.ts|bench\/)/);
    execFileSync('git', ['checkout', '-q', '--', 'src'], { cwd: root });
    rmSync(join(root, 'bench'), { recursive: true, force: true });
  });

  it('is of no sources without a history', () => {
    rmSync(join(root, '.git'), { recursive: true });

    expect(() => commitToRecord(root)).toThrow(/not a git repository/);
  });
});

describe('parts of processor time', () => {
  const sample = (thread: string, ...frames: readonly string[]) =>
    [`${thread} 1 `, ...frames.map((frame) => `\t    7f00 ${frame}`)].join('\n');
  const NODE = '(/usr/bin/node)';

  it('are told by the kind of work, the thread, and the innermost function that is known; they add up', () => {
    const text = [
      sample('node', `v8::internal::Heap::CollectGarbage ${NODE}`, 'JS:*query file:///a/query-x.js:4:15 (/tmp/perf-1.map)'),
      sample('libvips worker', '[unknown] (/lib/libvips-cpp.so.8)'),
      sample('node', '_int_malloc (/lib/libc.so.6)', `uv__work ${NODE}`),
      sample('node', `Builtins_LoadIC ${NODE}`, 'JS:^a file:///a/b.js:1:1 (/tmp/perf-1.map)', 'JS:~run file:///a/adapter-x.js:17:11 (/tmp/perf-1.map)'),
      sample('node', `Builtins_LoadIC ${NODE}`, 'JS:*a file:///a/b.js:1:1 (/tmp/perf-1.map)'),
    ].join('\n\n');

    expect(perfParts(text)).toEqual([
      ['garbage collection', 0.2],
      ['threads of libvips: decoding, encoding', 0.2],
      ['`malloc` and `free`', 0.2],
      ['database', 0.2],
      ['other JavaScript: turns, deadlines, steps', 0.2],
    ]);
  });
});

describe('the charts', () => {
  it.each(charts)('%s says what it shows in words, and is on the page', (path, svg) => {
    expect(svg).toMatch(/<svg [^>]*role="img" aria-labelledby="title description">\n<title id="title">.+<\/title>\n<desc id="description">.+\d.+<\/desc>/);
    expect(svg).not.toMatch(/<script|\bon\w+=|href=/);
    expect(readText(PAGE)).toContain(`<img src="${path.replace('docs/bench/', '')}" alt="`);
  });

  const RUN = { commit: 'c', command: 'scale', date: '2026-11-23', node: 'v20', cores: 2, load: 1, seconds: 1 };
  const series = (values: readonly number[]): RecordedVersion => ({
    version: '9.9.9',
    suites: {
      scale: {
        ...RUN,
        lines: values.map((cpuMs, at) => ({
          case: 'x',
          at: { series: 'key query from the database', engine: 'sqlite' as const, records: 10 ** (4 + at) },
          figures: { cpuMs },
          mark: null,
          reached: null,
        })),
      },
    },
  });

  /** Places of the points of the only line, and of the axis below them. */
  const drawn = (values: readonly number[]) => {
    const svg = benchFiles([series(values)]).get('docs/bench/charts/a-key-query-cold.svg')!;
    const points = /<polyline class="line a" points="([^"]+)"/.exec(svg)![1]!.split(' ').map((pair) => pair.split(',').map(Number));
    return { points, axis: Number(/<line class="axis" x1="\d+" y1="([\d.]+)"/.exec(svg)![1]) };
  };

  it('draws heights in proportion, and each power of ten as far from the last', () => {
    const { points, axis } = drawn([1, 2, 4, 3]);
    const heights = points.map(([, y]) => axis - y!);
    const steps = points.slice(1).map(([x], at) => x! - points[at]![0]!);

    expect(heights.map((height) => Math.round((height / heights[0]!) * 20) / 20)).toEqual([1, 2, 4, 3]);
    expect(Math.max(...steps) - Math.min(...steps)).toBeLessThan(0.3);
  });

  it('draws other data elsewhere', () => {
    expect(drawn([1, 2, 4, 3.5]).points).not.toEqual(drawn([1, 2, 4, 3]).points);
  });

  it('says in full how many records a step holds', () => {
    const svg = benchFiles([series([1, 2])]).get('docs/bench/charts/a-key-query-cold.svg')!;
    expect(svg).toContain(`1 at ${count(10_000)}, 2 at ${count(100_000)}.`);
  });
});
