import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { freePort } from '../../tests/support/origins/dns-server.js';
import { endChild } from './child.js';

/** The server as operators run it: its own process, its log in a file. */
export interface VidimusProcess {
  readonly pid: number;
  readonly port: number;
  readonly metricsPort: number;
  /** From the start of its process until it was ready. */
  readonly readyMs: number;
  stop(): Promise<void>;
  /** The code or signal it ended with; `null` while it runs. */
  outcome(): number | string | null;
}

/** What the server is started with; everything else is left at its default. */
export interface VidimusOptions {
  /** Data, key file and log go here and are found again at the next start. */
  folder: string;
  settings: Record<string, unknown>;
  /** Beside the environment of the bench; without the variables that are undefined here. */
  env?: NodeJS.ProcessEnv;
  /** The build to start; absent: this one, or what `BENCH_PROGRAM` names. */
  program?: string | undefined;
  /** For its Node. */
  nodeOptions?: readonly string[];
  /** Serve operators beside the metrics. */
  hasAdmin?: boolean;
}

/** `BENCH_PROGRAM` names another build to measure. */
export const PROGRAM =
  process.env['BENCH_PROGRAM'] ?? fileURLToPath(new URL('../../bin/vidimus.js', import.meta.url));
const START_LIMIT_MS = 60_000;
const LOOK_INTERVAL_MS = 20;

/** Starts `vidimus serve` and waits until it is ready. */
export async function startVidimus({
  folder,
  settings,
  env,
  program = PROGRAM,
  nodeOptions = [],
  hasAdmin = false,
}: VidimusOptions): Promise<VidimusProcess> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const config = join(folder, 'config.yaml');
  // JSON is YAML.
  const listeners = [
    { port, resources: ['keys', 'previews', 'media', 'health'] },
    { port: metricsPort, resources: hasAdmin ? ['metrics', 'admin'] : ['metrics'] },
  ];
  writeFileSync(config, JSON.stringify({ ...baseSettings(folder), listeners, ...settings }));
  const logPath = join(folder, 'vidimus.log');
  const log = openSync(logPath, 'a');
  const startedMs = performance.now();
  const child = spawn(process.execPath, [...nodeOptions, program, 'serve', '--config', config], {
    cwd: folder,
    stdio: ['ignore', log, log],
    // As `npm start` sets it.
    env: { ...process.env, MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072', ...env },
  });
  closeSync(log);
  try {
    await untilReady(child, port);
  } catch (error) {
    await endChild(child);
    throw new Error(`${String(error)}\n${readFileSync(logPath, 'utf8').slice(-4000)}`, { cause: error });
  }
  const readyMs = performance.now() - startedMs;
  const outcome = () => child.exitCode ?? child.signalCode;
  return { pid: child.pid ?? 0, port, metricsPort, readyMs, stop: () => endChild(child), outcome };
}

function baseSettings(folder: string): Record<string, unknown> {
  return {
    server_name: 'notary.bench.example',
    signing_key_path: join(folder, 'signing.key'),
    media_store_path: join(folder, 'media'),
    database: { path: join(folder, 'vidimus.db') },
  };
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const limitMs = performance.now() + START_LIMIT_MS;
  while (performance.now() < limitMs) {
    if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}`);
    const ready = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL_MS));
  }
  throw new Error('the server did not become ready in time');
}
