import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { describeConfig } from '../../src/config/output/describe-config.js';
import { parseConfig } from '../../src/config/parse-config.js';
import { createMetrics } from '../../src/core/base/metrics.js';
import { isRecord } from '../../src/core/base/json/is-record.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TEXT = readFileSync(join(ROOT, 'docs/SECURITY-MODEL.md'), 'utf8');
const QUOTED = [...TEXT.matchAll(/`([^`\n]+)`/g)].map(([, quoted = '']) => quoted);

/** Dotted names of all settings. */
function settingNames(value: unknown, path: string[] = []): string[] {
  const own = path.length === 0 ? [] : [path.join('.')];
  if (!isRecord(value)) return own;
  return [...own, ...Object.entries(value).flatMap(([name, inner]) => settingNames(inner, [...path, name]))];
}

/** Cells of the rows below `| Resource | …`, without the heads. */
const ROWS = TEXT.split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')))
  .filter(([first]) => !['Resource', 'Reason', 'What', 'Where', 'Table'].includes(first ?? ''));
const RESOURCES = ROWS.filter((cells) => cells.length === 8);
const SHOWN = ROWS.filter((cells) => cells.length === 3 && cells[2]?.endsWith('.test.ts`') === true);
const IN_MEMORY = ROWS.filter(([where = '', , most = '']) => /^`[^`]+(?:\.ts|\/)`/.test(where) && !most.includes('.test.ts'));
const REASONS = ROWS.filter((cells) => cells.length === 3 && /^(?:Setting|Metric|Health)\b/.test(cells[1] ?? ''));
const TABLES = ROWS.filter((cells) => cells.length === 2);

const SCHEMA = readFileSync(join(ROOT, 'prisma/schema.prisma'), 'utf8');
const TABLE_NAMES = [...SCHEMA.matchAll(/@@map\("([a-z_]+)"\)/g)].map(([, name = '']) => name);

/** Fields of classes that keep entries. */
const KEEPS =
  /^ {2}(?:private )?(?:readonly )?#?\w+(?:: [^=\n]+)? = (?:new (?:LRUCache|Map|Set)\b|entryCache\b)|^ {4}this\.#\w+ = (?:new (?:LRUCache|Map|Set)\b|entryCache\b)|^ {2}(?:readonly )?#\w+: .*\[\] = \[\];/m;

/** Contents of the sources below a folder. */
function sourcesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => readFileSync(join(folder, name), 'utf8'));
}

/** Lines of health. */
const HEALTH_KEYS = new Set(
  ['src/core/operators', 'src/composition']
    .flatMap((folder) => sourcesBelow(join(ROOT, folder)))
    .flatMap((text) => [...text.matchAll(/(?:\bkey: |_LINE = )'([a-z_]+)'/g)].map(([, key = '']) => key)),
);

/** Why a row names no setting, metric or line of health, and below which of them; any further one is an excuse. */
const ALLOWED_REASONS: Readonly<Record<string, readonly string[]>> = {
  'nothing to choose': ['Setting'],
  given: ['Setting'],
  'by construction': ['Setting', 'Metric', 'Health'],
  forgets: ['Setting', 'Metric', 'Health'],
  cut: ['Metric', 'Health'],
  'told at once': ['Metric', 'Health'],
  'refuses nobody': ['Health'],
};
/** Cells of a row of resources. */
const COLUMNS = { Setting: 4, Metric: 5, Health: 6 } as const;
const isReason = (cell: string, column: string): boolean =>
  ALLOWED_REASONS[cell]?.includes(column) ?? false;

/** Resources of anonymous clients of which nobody is refused a part. */
const HARMLESS: ReadonlySet<string> = new Set([
  'Idle connections',
  'Scrapes of `/metrics`: event loop, store',
  'Connections whose last answer is sent: what still comes is dropped',
  'Address stated by a proxy',
  'Remembered answers (`LRUCache`)',
  'Search domains that fail: time, `Map`',
  'Idle c-ares channels: sockets',
  'Records in memory (`LRUCache`)',
  'Records of answers up to 1 MiB: memory',
  'Stored records that are read for an answer: event loop',
  'Answers in memory (`LRUCache`)',
  'Health of servers (`LRUCache`)',
  'Well-known documents (`LRUCache`)',
  'Signatures',
  'Rows of fetches',
  'Tiles and bundles in memory (`LRUCache`)',
  'Remembered access tokens (`LRUCache`)',
  'Reasons of refused requests (`LRUCache`)',
  'Memory of requests (`Map`)',
  'Leases and messages of instances: rows',
  'Spans that wait for a collector: memory',
]);

const UNITS: Record<string, readonly string[]> = {
  '': [''],
  ms: [' ms'],
  s: [' s'],
  m: [' min'],
  h: [' h'],
  d: [' d'],
  y: [' y'],
  K: [' KiB'],
  M: [' MiB', ' million'],
  G: [' GiB'],
};
const IN_WORDS: ReadonlyMap<string, string> = new Map([
  ['0', 'none'],
  ['1m', '60 s|a minute'],
  ['1h', 'an hour'],
  ['1w', '7 d'],
]);

/** How the document may write a value that operators write as `10s`, `16M`, `1024`. */
function writings(value: string): string[] {
  const [, number = '', unit = ''] = /^([\d.]+)([A-Za-z]*)$/.exec(value) ?? [];
  const numbers = [number, Number(number).toLocaleString('en')];
  const plain = numbers.flatMap((digits) => (UNITS[unit] ?? []).map((name) => `${digits}${name}`));
  return [...plain, ...(IN_WORDS.get(value) ?? '').split('|')].filter((text) => text !== '');
}

describe('docs/SECURITY-MODEL.md', () => {
  it('says of each resource who can spend it, where, its bound, and the test that shows it', () => {
    expect(RESOURCES.length).toBeGreaterThan(60);
    expect(ROWS.length).toBe(RESOURCES.length + REASONS.length + SHOWN.length + IN_MEMORY.length + TABLES.length);
    const isTold = ([, who = '', where = '', bound = '', , , , test = '']: readonly string[]): boolean =>
      /^(?:anonymous|user|operator|site)(?:, (?:anonymous|user|operator|site))*$/.test(who) &&
      /^`[^`]+\.ts`/.test(where) &&
      /[a-z\d]/.test(bound) &&
      /^`[^`]+\.test\.ts`(?:, `[^`]+\.test\.ts`)*$/.test(test);
    expect(RESOURCES.filter((cells) => !isTold(cells))).toEqual([]);
    expect(SHOWN.filter(([, , test = '']) => !/^`[^`]+\.test\.ts`$/.test(test))).toEqual([]);
  });

  it('has every bound that health tells of, with a metric', () => {
    const health = readFileSync(join(ROOT, 'src/core/operators/overview/health/bound-checks.ts'), 'utf8');
    const told = [...health.matchAll(/: '([a-z_]+(?:\.[a-z_]+)?)'/g)].map(([, name = '']) => name);
    const settings = told.filter((name) => /^(?:auth|dns|federation|keys|log|previews|server)\./.test(name));
    expect(settings.length).toBeGreaterThan(20);
    const isCounted = (name: string): boolean =>
      RESOURCES.some((cells) => cells[4]?.includes(`\`${name}`) && cells[5]?.includes('vidimus_'));
    expect(settings.filter((name) => !isCounted(name))).toEqual([]);
  });

  it('names a setting, a metric and a line of health for each, or one of a few reasons why there is none', () => {
    const unnamed = RESOURCES.flatMap((cells) =>
      Object.entries(COLUMNS).flatMap(([column, at]) => {
        const cell = cells[at] ?? '';
        const isNamed = /^`[a-z_.\d]+`(?:, `[a-z_.\d]+`)*$/.test(cell);
        return isNamed || isReason(cell, column) ? [] : [`${cells[0] ?? ''}: ${column}: ${cell}`];
      }),
    );
    expect(unnamed).toEqual([]);
    expect(REASONS.map(([reason, columns]) => [reason, columns?.split(', ')])).toEqual(
      Object.entries(ALLOWED_REASONS),
    );
    const used = new Set(RESOURCES.flatMap((cells) => Object.values(COLUMNS).map((at) => cells[at])));
    expect(Object.keys(ALLOWED_REASONS).filter((reason) => !used.has(reason))).toEqual([]);
    const told = RESOURCES.filter((cells) => cells.slice(4, 7).includes('told at once'));
    expect(told.map(([, who]) => who)).toEqual(told.map(() => 'operator'));
  });

  it('says which line of health tells of each, unless nobody is refused', () => {
    const lines = (cell = ''): string[] => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, key = '']) => key);
    const isTold = ([, , , , , metric = '', health]: readonly string[]): boolean =>
      isReason(health ?? '', 'Health') ||
      (metric.includes('vidimus_') && lines(health).length > 0 && lines(health).every((key) => HEALTH_KEYS.has(key)));
    expect(RESOURCES.filter((cells) => !isTold(cells))).toEqual([]);
    // What refuses somebody is told; a cache that forgets is not.
    const untold = RESOURCES.filter(([, who, , , , , health]) => who?.includes('anonymous') === true && isReason(health ?? '', 'Health'));
    expect(untold.map(([resource = '']) => resource).toSorted()).toEqual([...HARMLESS].toSorted());
  });

  it('names whatever keeps entries in memory', () => {
    const folders = QUOTED.filter((quoted) => quoted.endsWith('/'));
    const names = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
    const keeping = names.filter(
      (name) =>
        name.endsWith('.ts') && !name.includes('/generated/') && KEEPS.test(readFileSync(join(ROOT, 'src', name), 'utf8')),
    );
    expect(keeping.length).toBeGreaterThan(70);
    const isNamed = (name: string): boolean => QUOTED.includes(name) || folders.some((folder) => name.startsWith(folder));
    expect(keeping.filter((name) => !isNamed(name))).toEqual([]);
  });

  it('says of every table of the database what bounds it', () => {
    const told = TABLES.flatMap(([names = '']) => [...names.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name));
    expect(told.toSorted()).toEqual(TABLE_NAMES.toSorted());
  });

  it('names files that exist', () => {
    const files = QUOTED.filter((quoted) => quoted.includes('/') && quoted.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(80);
    const isThere = (file: string): boolean => {
      const folder = file.endsWith('.test.ts') && !file.startsWith('tests/') ? 'tests' : 'src';
      return existsSync(join(ROOT, file.startsWith('tests/') ? '' : folder, file));
    };
    expect(files.filter((file) => !isThere(file))).toEqual([]);
  });

  it('has a neighbour that shows every attack by a test that exists', () => {
    const text = readFileSync(join(ROOT, 'docs/RELIABILITY.md'), 'utf8');
    const [attacks = ''] = text.split('\n## ');
    const rows = attacks.split('\n').filter((line) => /^\| (?!Attack|---)/.test(line));
    expect(rows.length).toBeGreaterThan(40);
    const shows = (row: string): boolean => {
      const [, file = ''] = /`(tests\/[^`]+\.test\.ts)`[^|]*\|$/.exec(row) ?? [];
      return row.includes('| the same |') || (file !== '' && existsSync(join(ROOT, file)));
    };
    expect(rows.filter((row) => !shows(row))).toEqual([]);
  });

  it('states as bounds what is in effect when nothing is configured', () => {
    const parsed = parseConfig({ server_name: 'a.example' });
    const inEffect = parsed.ok ? describeConfig(parsed.config) : [];
    const valueOf = new Map(inEffect.map(({ name, value }) => [name, value]));
    const stated = RESOURCES.flatMap(([, , , bound = '', setting = '']) =>
      [...setting.matchAll(/`([a-z_.0-9]+)`/g)].map(([, name = '']) => ({ name, bound })),
    ).filter(({ name }) => /^[\d.]+[A-Za-z]*$/.test(String(valueOf.get(name))));
    expect(stated.length).toBeGreaterThan(60);
    const isStated = ({ name, bound }: { name: string; bound: string }): boolean =>
      writings(String(valueOf.get(name))).some((text) => new RegExp(`(?<![\\d,])${text}\\b`).test(bound));
    expect(stated.filter((each) => !isStated(each)).map(({ name }) => `${name}: ${String(valueOf.get(name))}`)).toEqual([]);
  });

  it('names settings and metrics that exist', async () => {
    const parsed = parseConfig({ server_name: 'a.example' });
    const settings = new Set(parsed.ok ? settingNames(parsed.config) : []);
    const metrics = createMetrics('0');
    metrics.observeKeyCache(() => ({ bytes: 0, servers: 0 }));
    metrics.observeDnsLookups(() => ({ running: 0, waiting: 0 }));
    metrics.observeKeyFetches(() => ({ running: 0, waiting: 0 }));
    metrics.observeTokens(() => ({ running: 0, waiting: 0 }));
    metrics.observeLog(() => ({ entries: 0, mergeDelayMs: 0, cachedBytes: 0, witnessedEntries: 0, unwitnessedMs: 0 }));
    metrics.observeOutbox(async () => 0);
    const largeAnswers = { running: 0, waiting: 0 };
    metrics.observeClients(() => ({ connections: 0, bodyBytes: 0, unsentBytes: 0, largeAnswers }));
    const shown = await metrics.registry.metrics();
    const others = new Set([...HEALTH_KEYS, ...TABLE_NAMES]);
    const names = QUOTED.filter((quoted) => /^[a-z_.]+$/.test(quoted) && /[._]/.test(quoted) && !others.has(quoted));
    expect(names.length).toBeGreaterThan(40);
    const isThere = (name: string): boolean =>
      name.startsWith('vidimus_') ? shown.includes(`# TYPE ${name} `) : settings.has(name);
    expect(names.filter((name) => !isThere(name))).toEqual([]);
  });
});
