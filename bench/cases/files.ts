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
export const PROBE = fileURLToPath(new URL('../processes/take-coverage.cjs', import.meta.url));
const GOALS = { 'cached GET': 15, 'first fetch': 45, 'cold preview': 50 };
/** Each writes a file. */
const THREADS = 2;
const POLL_MS = 20;
/** Until what an earlier request left to do in the background is done. */
const QUIET_MS = 5000;

export interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[];
}

/**
 * Counts the source files whose code one request runs, worker included, by V8's precise coverage. Each kind of request
 * is made once before, so that modules that are loaded at their first use do not count for being loaded.
 */
export async function benchFiles(folder: string): Promise<ReportLine[]> {
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
    const requests = requestsTo(server, keys, previews);
    for (const request of Object.values(requests)) await request();
    const lines: ReportLine[] = [];
    for (const [name, request] of Object.entries(requests)) {
      await sleep(QUIET_MS);
      await takeFiles(server.pid, { coverage, compiled });
      await request();
      const files = await takeFiles(server.pid, { coverage, compiled });
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
  } finally {
    await Promise.all([server.stop(), previews.end(), keys.end()]);
    rmSync(compiled, { recursive: true, force: true });
  }
}

/** One file of JavaScript for each source, in the checkout, from where packages and migrations are found. */
export function compile(): string {
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
  keys: KeyWorld,
  previews: PreviewWorld,
): Record<keyof typeof GOALS, () => Promise<unknown>> {
  const { port, authorization } = server;
  const [cached = ''] = keys.take(1, 'discovered');
  return {
    'first fetch': () => send(port, oneKey(keys.take(1, 'discovered')[0] ?? '', keys.keyId)),
    'cached GET': async () => send(port, allKeys(cached)),
    'cold preview': async () => {
      await previews.load.run({
        port,
        authorization,
        paths: previews.take('page', 1),
        atOnce: 1,
        durationMs: null,
      });
      await server.settle();
    },
  };
}

/** Source files with a function that has run since the last time. */
async function takeFiles(
  pid: number,
  { coverage, compiled }: { coverage: string; compiled: string },
): Promise<string[]> {
  const files = new Set<string>();
  for (const { result } of await takeCoverage(pid, coverage))
    for (const { url, functions } of result)
      if (
        url.startsWith(`file://${compiled}/`) &&
        functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
      )
        files.add(url.slice(`file://${compiled}/`.length));
  return [...files]
    .filter((file) => !file.includes('/generated/') && !/^(?:run\.mjs|dist\/)/.test(file))
    .toSorted();
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
