import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { RecordedSuite, RecordedVersion } from '../../../bench/support/record.js';
import { table } from '../markdown.js';
import { dotChart } from './dot-chart.js';
import { count, figure, lineChart } from './line-chart.js';
import { CHART } from './svg.js';

const FOLDER = 'docs/bench';
const ENGINES = [
  ['sqlite', 'SQLite'],
  ['postgresql', 'PostgreSQL'],
] as const;

/** What is drawn of the series of growing databases; the rest stands in the table. */
const GROWTH: readonly { series: string; title: string; figure: 'cpuMs' | 'rssMb' }[] = [
  { series: 'key query from the database', title: 'A key query, cold', figure: 'cpuMs' },
  { series: 'question about 100 servers from the database', title: 'A question about 100 servers, cold', figure: 'cpuMs' },
  { series: 'key query from memory', title: 'A key query, cached', figure: 'cpuMs' },
  { series: 'preview from the database', title: 'A stored preview, cold', figure: 'cpuMs' },
  { series: 'servers: by name', title: 'First page of servers, with its count', figure: 'cpuMs' },
  { series: 'previews: newest first', title: 'First page of previews, with its count', figure: 'cpuMs' },
  { series: 'cleanup of a preview with its media', title: 'Cleanup of one expired preview', figure: 'cpuMs' },
  { series: 'start until ready', title: 'Start until ready', figure: 'cpuMs' },
  { series: 'memory, after look-ups', title: 'Memory after look-ups', figure: 'rssMb' },
];
const UNITS = { cpuMs: 'processor time, ms', rssMb: 'resident memory, MB' } as const;

const TITLES: Readonly<Record<string, string>> = { scale: 'Growth', keys: 'Key queries', previews: 'Previews', lists: 'Lists', start: 'A start' };

/** Results of all versions, the newest first. */
export function recordedVersions(root: string): RecordedVersion[] {
  const names = readdirSync(join(root, FOLDER)).filter((name) => name.endsWith('.json'));
  const versions = names.map(
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `npm run bench -- --record`
    (name) => JSON.parse(readFileSync(join(root, FOLDER, name), 'utf8')) as RecordedVersion,
  );
  return versions.toSorted((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }));
}

/** The page of results and its charts, by their paths in the repository. */
export function benchFiles(versions: readonly RecordedVersion[]): Map<string, string> {
  const files = new Map<string, string>();
  const [newest, before] = versions;
  if (newest === undefined) throw new Error('no results are recorded; npm run bench -- --record');
  const sections: string[] = [];
  for (const [name, suite] of Object.entries(newest.suites)) {
    const charts = name === 'scale' ? growthCharts(suite) : caseChart(name, suite, { newest, before });
    for (const { path, svg } of charts) files.set(`${FOLDER}/${path}`, svg);
    sections.push(section(name, suite, charts));
  }
  files.set(`${FOLDER}/README.md`, `${INTRODUCTION(newest.version)}\n\n${sections.join('\n\n')}\n`);
  return files;
}

const INTRODUCTION = (version: string): string => `# Results by version

What \`npm run bench\` came to with \`--record\` for ${version}, as it stands in [${version}.json](${version}.json); this page and its charts are made from that file by \`npm run docs\`. What the figures mean, and what was measured beside them, says [Speed](../BENCH.md). Processor time is what is compared: on shared processors the time on the clock says little.`;

interface Chart {
  path: string;
  title: string;
  svg: string;
}

function growthCharts({ lines }: RecordedSuite): Chart[] {
  return GROWTH.flatMap(({ series, title, figure: name }) => {
    const drawn = ENGINES.map(([engine, shown]) => ({
      name: shown,
      points: lines.flatMap(({ at, figures }) => {
        const value = figures[name] ?? null;
        return at?.series === series && at.engine === engine && value !== null ? [{ x: at.records, y: value }] : [];
      }),
    }));
    if (drawn.every(({ points }) => points.length === 0)) return [];
    return [{ path: `charts/${slug(title)}.svg`, title, svg: lineChart({ title, unit: UNITS[name], lines: drawn }) }];
  });
}

/** Processor time of each case that has one, beside that of the version before. */
function caseChart(
  name: string,
  { lines }: RecordedSuite,
  { newest, before }: { newest: RecordedVersion; before: RecordedVersion | undefined },
): Chart[] {
  const timed = lines.filter(({ figures }) => (figures['cpuMs'] ?? null) !== null);
  if (timed.length === 0) return [];
  const former = before?.suites[name];
  const valueOf = (of: RecordedSuite, wanted: string) =>
    of.lines.find((line) => line.case === wanted)?.figures['cpuMs'] ?? null;
  const versions = [newest.version, ...(former === undefined || before === undefined ? [] : [before.version])];
  const rows = timed.map((line) => ({
    name: line.case,
    values: [line.figures['cpuMs'] ?? null, ...(former === undefined ? [] : [valueOf(former, line.case)])],
  }));
  const title = `Processor time: ${name}`;
  return [{ path: `charts/${slug(name)}.svg`, title, svg: dotChart({ title, unit: 'ms for each', versions, rows }) }];
}

function section(name: string, suite: RecordedSuite, charts: readonly Chart[]): string {
  const { commit, command, date, node, cores, load, seconds } = suite;
  const images = charts.map(
    ({ path, title, svg }) =>
      `<img src="${path}" alt="${title}; its figures stand in the table below" width="${CHART.width}" height="${/ height="(\d+)"/.exec(svg)?.[1] ?? ''}">`,
  );
  const about = `\`npm run bench -- ${command}\`, commit ${commit}, ${date}: Node ${node}, ${cores} cores, load ${load} in the last quarter of an hour, ${count(seconds)} s.`;
  const growth = name === 'scale' ? `${ABOUT_GROWTH}\n\n` : '';
  return `## ${TITLES[name] ?? name}\n\n${about}\n\n${growth}${images.join('\n')}\n\n${name === 'scale' ? growthTable(suite) : caseTable(suite)}`;
}

const ABOUT_GROWTH = `Each step holds ten times as much: so many key records, four of each server, and half as many previews with their media and thumbnails. Processor time of the program and, on PostgreSQL, of the database; medians, of all steps in turns. Cold is what is not in our memory; its pages may be in the machine's. The axis of records is logarithmic, so that logarithmic growth is a straight line. ✗ marks a figure above twice that of the same run at 100,000 and half a millisecond on top, since smaller differences are those of the meter: 0.1 may become 0.7, and 10 may become 20.5. Steps may come from runs of their own; the line above is about the last one. What is empty was not measured, or not again since it was changed.`;

function growthTable({ lines }: RecordedSuite): string {
  const steps = [...new Set(lines.flatMap(({ at }) => (at === undefined ? [] : [at.records])))].toSorted((a, b) => a - b);
  const series = [...new Set(lines.flatMap(({ at }) => (at === undefined ? [] : [at.series])))];
  return ENGINES.filter(([engine]) => lines.some(({ at }) => at?.engine === engine))
    .map(([engine, shown]) => {
      const rows = series.map((one) => [
        one,
        ...steps.map((records) => {
          const line = lines.find(({ at }) => at?.engine === engine && at.series === one && at.records === records);
          return line === undefined ? '' : growthCell(line);
        }),
      ]);
      return `### ${shown}\n\n${table(['ms of processor time', ...steps.map(count)], rows)}`;
    })
    .join('\n\n');
}

function growthCell({ figures, reached }: RecordedSuite['lines'][number]): string {
  const { cpuMs, rssMb } = figures;
  const value = rssMb === undefined ? figure(cpuMs ?? 0) : `${figure(rssMb ?? 0)} MB`;
  return reached === false ? `${value} ✗` : value;
}

function caseTable({ lines }: RecordedSuite): string {
  const rows = lines.map((line) => [
    line.case,
    Object.entries(line.figures)
      .map(([name, value]) => `${name} ${value === null ? '–' : figure(value)}`)
      .join(', '),
    line.mark ?? '',
    line.reached === null ? '' : line.reached ? 'reached' : 'missed',
  ]);
  return table(['case', 'figures', 'mark', ''], rows);
}

function slug(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
