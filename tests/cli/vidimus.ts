import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createLogger } from '../../src/core/base/logger.js';
import { migrate } from '../../src/core/store/migrate.js';

/** The built program. */
export const PROGRAM = fileURLToPath(new URL('../../bin/vidimus.js', import.meta.url));

/** A log line of a running server. */
export type LogLine = Record<string, unknown> & { msg?: string };

export interface Place {
  cwd: string;
  env?: Record<string, string>;
  /** Another script than bin/vidimus.js. */
  script?: string;
  /** Whether file modes hold for it, which root passes over. */
  heedsModes?: boolean;
}

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Runs one command of the built program to its end. */
export async function vidimus(args: string[], place: Place): Promise<Finished> {
  return startVidimus(args, place).finished;
}

/** A running process of the built program. */
export interface Running {
  child: ChildProcess;
  finished: Promise<Finished>;
  stdout(): string;
  stderr(): string;
  /** The first log line with this message, once it is there. Rejects when the process ends without it. */
  log(msg: string): Promise<LogLine>;
  /** Base URL of the listener with the resource, once it listens. */
  url(resource: string): Promise<string>;
}

/** Starts the built program without the settings of the environment the tests run in. */
export function startVidimus(args: string[], place: Place): Running {
  const { cwd, env = {}, script = PROGRAM, heedsModes = false } = place;
  const whole = { ...plainEnvironment(), ...env };
  const [program = '', ...rest] = [...(heedsModes ? HEEDING_MODES : []), process.execPath, script, ...args];
  return follow(spawn(program, rest, { cwd, env: whole }));
}

/** What a command begins with so that file modes hold for it. */
const HEEDING_MODES =
  process.getuid?.() === 0
    ? ['setpriv', ...['bounding-set', 'inh-caps'].map((set) => `--${set}=-dac_override,-dac_read_search`)]
    : [];

/** Reads along what a process of the program says, however it was started. */
export function follow(child: ChildProcessWithoutNullStreams): Running {
  let [stdout, stderr] = ['', ''];
  let wake: () => void = () => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    wake();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  let ended = false;
  const finished = once(child, 'close').then(([code, signal]): Finished => {
    ended = true;
    wake();
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, stdout, stderr };
  });
  const find = async (wanted: (line: LogLine) => boolean, what: string): Promise<LogLine> => {
    for (;;) {
      const found = logLines(stdout).find(wanted);
      if (found !== undefined) return found;
      if (ended) throw new Error(`ended without ${what}:\n${stdout}${stderr}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    child,
    finished,
    stdout: () => stdout,
    stderr: () => stderr,
    log: (msg) => find((line) => line.msg === msg, `the log line "${msg}"`),
    url: async (resource) => {
      const serves = ({ msg, resources }: LogLine) =>
        msg === 'listening' && (resources as string[]).includes(resource);
      return String((await find(serves, `a listener for ${resource}`))['url']);
    },
  };
}

/** All complete lines that are JSON objects. */
export function logLines(text: string): LogLine[] {
  return text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine);
}

/** A folder that `remove` takes away again. */
export async function temporaryFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'vidimus-cli-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Writes a configuration (JSON is YAML) on free ports; `settings` replace what stands here. */
export async function writeConfig(folder: string, settings: Record<string, unknown> = {}): Promise<string> {
  const path = join(folder, 'config.yaml');
  const base = {
    server_name: 'notary.test',
    listeners: [{ port: 0, resources: ['keys', 'health', 'metrics'] }],
  };
  await writeFile(path, JSON.stringify({ ...base, ...settings }, null, 1));
  return path;
}

/** Makes a migrated SQLite database, as a first start does. */
export async function makeDatabase(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await migrate({ engine: 'sqlite', path, synchronous: 'normal' }, createLogger({ level: 'silent' }));
}

/** The environment without settings of ours or of the tests. */
export function plainEnvironment(): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(VIDIMUS|npm_|INIT_CWD|NO_COLOR|FORCE_COLOR|NODE_OPTIONS|VITEST|(?:https?|all)_proxy$)/i.test(name),
  );
  return Object.fromEntries(kept);
}
