import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Test files by how they are run; paths from the checkout. */
export interface TestProjects {
  /** Reach no server, database, browser, command, thread or build. */
  unit: string[];
  /** On SQLite. */
  integration: string[];
  /** A share of them, again on PostgreSQL: what writes SQL, and one file of each interface. */
  postgresql: string[];
  /** Assert how much time, memory or processor time an attacker can take: after all others, one for each processor. */
  bounds: string[];
  /** Build, install, pack, kill: only in `npm run test:all`, and a part of them in `.ci/run`. */
  extra: string[];
}

const TEST = /\.test\.ts$/;
const BOUNDS = /\.timing\.test\.ts$/;
const EXTRA = /^tests\/(?:(?:start|deploy|crash)\/|config\/output\/prox)/;
const POSTGRESQL = [
  'tests/core/store/',
  'tests/core/job-runner/',
  'tests/core/notary/keys/key-store',
  'tests/core/preview/pipeline/preview-store',
  'tests/core/preview/media/media-store',
  'tests/core/operators/overview/overview-store',
  'tests/composition/own-',
  'tests/composition/shared-state',
  'tests/composition/shared-previews',
  'tests/rest/peers/first-path',
  'tests/rest/clients/preview/first-preview',
  'tests/rest/fairness/',
  'tests/cli/store-commands',
];
const TYPE_ONLY = /^(?:import|export) type [^;]*;/gm;
const IMPORT = /(?:\bfrom|\bimport\(|\bimport)\s*'([^']+)'/g;
/** What opens sockets, processes, threads, databases and browsers. */
const OUTWARD =
  /^(?:node:(?:child_process|cluster|dgram|dns|http|http2|https|net|sqlite|tls|worker_threads)(?:\/|$)|@prisma\/|express$|got-scraping$|pg$|playwright-core$)/;

/** A file of tests, or of what they import. */
interface Source {
  isOutward: boolean;
  /** Paths of the files that it imports. */
  imports: readonly string[];
}

/** Sorts every test file below `tests` and `packages`, by its name and by what it imports. */
export function sortTests(): TestProjects {
  const projects: TestProjects = { unit: [], integration: [], postgresql: [], bounds: [], extra: [] };
  const sources = new Map<string, Source>();
  for (const test of ['tests', 'packages'].flatMap(testsBelow)) {
    if (EXTRA.test(test)) projects.extra.push(test);
    else if (BOUNDS.test(test)) projects.bounds.push(test);
    else if (!isOutward(test, sources)) projects.unit.push(test);
    else {
      projects.integration.push(test);
      if (POSTGRESQL.some((start) => test.startsWith(start))) projects.postgresql.push(test);
    }
  }
  return projects;
}

function testsBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => TEST.test(file) && !file.includes('node_modules'))
    .map((file) => path.join(folder, file));
}

/** Whether the file, or any it imports, reaches outside of the process. */
function isOutward(test: string, sources: Map<string, Source>): boolean {
  const seen = new Set([test]);
  for (const file of seen) {
    const source = sources.get(file) ?? readSource(file);
    sources.set(file, source);
    if (source.isOutward) return true;
    for (const imported of source.imports) seen.add(imported);
  }
  return false;
}

function readSource(file: string): Source {
  // Data, or generated and not yet there.
  if (!/\.tsx?$/.test(file) || !existsSync(file)) return { isOutward: false, imports: [] };
  const text = readFileSync(file, 'utf8').replaceAll(TYPE_ONLY, '');
  const names = [...text.matchAll(IMPORT)].map(([, name]) => name ?? '');
  return {
    isOutward: names.some((name) => OUTWARD.test(name)),
    imports: names
      .filter((name) => name.startsWith('.'))
      .map((name) => sourceOf(path.join(path.dirname(file), name))),
  };
}

function sourceOf(file: string): string {
  const source = file.replace(/\.js$/, '.ts');
  return existsSync(source) ? source : file.replace(/\.js$/, '.tsx');
}
