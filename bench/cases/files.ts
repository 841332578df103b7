import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { startKeyWorld, type KeyWorld } from '../support/key-world.js';
import {
  startPreviewServer,
  startPreviewWorld,
  type PreviewServer,
  type PreviewWorld,
} from '../support/preview-world.js';
import type { ReportLine } from '../support/report.js';
import { allKeys, oneKey, send } from '../support/requests.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROBE = fileURLToPath(new URL('../processes/take-coverage.cjs', import.meta.url));
const GOALS = { 'cached GET': 15, 'first fetch': 45, 'cold preview': 50 };
/** Each writes a file. */
const THREADS = 2;
const POLL_MS = 20;
/** Until what an earlier request left to do in the background is done. */
const QUIET_MS = 5000;
/** An odd number, for the middle one. */
const TIMES = 9;
/** After each request: for what follows the answer, thumbnails and log lines. */
const PAUSE_MS = 500;

export interface Coverage {
  result: {
    url: string;
    functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[];
  }[];
}

/**
 * Counts the source files whose code one request runs, worker included, by V8's precise coverage: those with a function
 * that runs more often in the half second of a request than in one without, by the middle of nine of each. What follows
 * an answer is counted; what the server does by itself is in both kinds of time, and is not. Each kind of request is made
 * once before, so that modules that are loaded at their first use do not count for being loaded.
 */
export async function benchFiles(folder: string): Promise<ReportLine[]> {
  return withCoverage(folder, async ({ server, keys, previews, ...where }) => {
    const [cached = ''] = keys.take(1, 'discovered');
    await send(server.port, oneKey(cached, keys.keyId));
    const requests = requestsTo(server, { keys, cached, previews });
    for (const request of Object.values(requests)) await request();
    const lines: ReportLine[] = [];
    for (const [name, request] of Object.entries(requests)) {
      await sleep(QUIET_MS);
      const startMs = performance.now();
      const busy = await runsWithin(where, () => request().then(() => sleep(PAUSE_MS)));
      const lengthMs = (performance.now() - startMs) / TIMES;
      const idle = await runsWithin(where, () => sleep(lengthMs));
      const files = filesOf(busy, idle);
      const goal = GOALS[name as keyof typeof GOALS];
      console.log(`\n${name}:\n  ${files.join('\n  ')}`);
      lines.push({
        case: `files of one ${name}`,
        figures: { files: files.length },
        text: `${files.length} files`,
        mark: `at most ${goal}`,
        reached: files.length <= goal,
      });
    }
    return lines;
  });
}

/** A server whose coverage can be taken, with origins and pages for its requests. */
interface Covered {
  server: PreviewServer;
  keys: KeyWorld;
  previews: PreviewWorld;
  pid: number;
  coverage: string;
  compiled: string;
}

/** Runs work with such a server, and ends it. */
export async function withCoverage<T>(folder: string, work: (covered: Covered) => Promise<T>): Promise<T> {
  const compiled = compile();
  const coverage = join(folder, 'coverage');
  mkdirSync(coverage);
  const keys = await startKeyWorld((pem) => {
    writeFileSync(join(folder, 'ca.pem'), pem);
    return join(folder, 'ca.pem');
  });
  const previews = await startPreviewWorld();
  const server = await startPreviewServer({
    folder,
    settings: keys.settings,
    program: join(compiled, 'run.mjs'),
    env: { NODE_V8_COVERAGE: coverage },
    nodeOptions: ['--require', PROBE],
  });
  try {
    return await work({ server, keys, previews, pid: server.pid, coverage, compiled });
  } finally {
    await Promise.all([server.stop(), previews.end(), keys.end()]);
    rmSync(compiled, { recursive: true, force: true });
  }
}

/** One file of JavaScript for each source, in the checkout, from where packages and migrations are found. */
function compile(): string {
  const folder = join(ROOT, 'dist/files');
  rmSync(folder, { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const output = ['--noEmit', 'false', '--rootDir', 'src', '--outDir', folder];
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', ...output], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  // The server looks for the program of its worker in dist/server beside prisma: there it finds the compiled source.
  symlinkSync(join(ROOT, 'prisma'), join(folder, 'prisma'));
  mkdirSync(join(folder, 'dist/server'), { recursive: true });
  writeFileSync(join(folder, 'dist/server/worker.js'), "import '../../worker.js';\n");
  writeFileSync(
    join(folder, 'run.mjs'),
    "const { main } = await import('./cli/main.js');\nawait main(process.argv.slice(2));\n",
  );
  return folder;
}

function requestsTo(
  server: PreviewServer,
  { keys, cached, previews }: { keys: KeyWorld; cached: string; previews: PreviewWorld },
): Record<keyof typeof GOALS, () => Promise<unknown>> {
  const { port, authorization } = server;
  return {
    'first fetch': () => send(port, oneKey(keys.take(1, 'discovered')[0] ?? '', keys.keyId)),
    'cached GET': async () => send(port, allKeys(cached)),
    'cold preview': async () =>
      previews.load.run({
        port,
        authorization,
        paths: previews.take('page', 1),
        atOnce: 1,
        durationMs: null,
      }),
  };
}

interface Running {
  pid: number;
  coverage: string;
  compiled: string;
}

type Runs = ReadonlyMap<string, number>;

/** How often each function of each source file runs while something happens, for each of nine times. */
async function runsWithin(
  { pid, coverage, compiled }: Running,
  happens: () => Promise<unknown>,
): Promise<Runs[]> {
  const all: Runs[] = [];
  await takeCoverage(pid, coverage);
  for (let time = 0; time < TIMES; time += 1) {
    await happens();
    all.push(runsIn(await takeCoverage(pid, coverage), compiled));
  }
  return all;
}

function runsIn(threads: readonly Coverage[], compiled: string): Runs {
  const runs = new Map<string, number>();
  for (const { url, functions } of threads.flatMap(({ result }) => result)) {
    const file = url.slice(`file://${compiled}/`.length);
    if (!url.startsWith(`file://${compiled}/`) || /\/generated\/|^run\.mjs$|^dist\//.test(file)) continue;
    for (const { functionName, ranges } of functions) {
      const name = `${file} ${ranges[0]?.startOffset} ${functionName}`;
      runs.set(name, (runs.get(name) ?? 0) + (ranges[0]?.count ?? 0));
    }
  }
  return runs;
}

function filesOf(busy: readonly Runs[], idle: readonly Runs[]): string[] {
  const usual = (times: readonly Runs[], name: string): number =>
    times.map((runs) => runs.get(name) ?? 0).toSorted((a, b) => a - b)[(TIMES - 1) / 2] ?? 0;
  const names = [...new Set(busy.flatMap((runs) => [...runs.keys()]))];
  const run = names.filter((name) => usual(busy, name) > usual(idle, name));
  return [...new Set(run.map((name) => name.split(' ', 1)[0] ?? ''))].toSorted();
}

/** What has run in each thread since the last time. */
export function takeCoverage(pid: number, folder: string): Promise<Coverage[]> {
  for (const file of readdirSync(folder)) rmSync(join(folder, file));
  process.kill(pid, 'SIGUSR2');
  return written(folder);
}

/** What all threads have written, once it is complete. */
async function written(folder: string): Promise<Coverage[]> {
  for (;;) {
    await sleep(POLL_MS);
    try {
      const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
      if (texts.length === THREADS) return texts.map((text) => JSON.parse(text) as Coverage);
    } catch {
      // One of them is half written.
    }
  }
}
