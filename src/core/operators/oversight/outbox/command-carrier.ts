import { spawn } from 'node:child_process';

import type { Attempted, Carrier } from './outbox-sender.js';
import type { OutboxItem } from './outbox-store.js';
import { gone } from './webhook-carrier.js';

export interface CommandCarrierOptions {
  /** Program and arguments of the watch of that name. */
  find(name: string): readonly string[] | null;
  /** What programs are looked for in, and nothing else of our environment. */
  path: string;
  timeoutMs: number;
  giveUpAfterMs: number;
}

const MAX_ERROR_CHARACTERS = 300;

/** Runs a command of the configuration, without a shell: JSON on its standard input, what happened in its environment. */
export function commandCarrier(options: CommandCarrierOptions): Carrier {
  return {
    giveUpAfterMs: options.giveUpAfterMs,
    carry: (item, signal) => {
      const command = options.find(item.destination);
      return command === null ? Promise.resolve(gone(item)) : run(command, item, { ...options, signal });
    },
  };
}

function run(
  [program = '', ...args]: readonly string[],
  item: OutboxItem,
  { path, timeoutMs, signal }: CommandCarrierOptions & { signal: AbortSignal },
): Promise<Attempted> {
  return new Promise((resolve) => {
    const env = {
      PATH: path,
      VIDIMUS_DELIVERY: String(item.id),
      VIDIMUS_KIND: item.kind,
      VIDIMUS_SERVER_NAME: item.subject,
    };
    const child = spawn(program, args, {
      env,
      signal,
      shell: false,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(0, MAX_ERROR_CHARACTERS);
    });
    const failed = (message: string): void => resolve({ outcome: 'retry', message });
    child.on('error', (error) => failed(error.message));
    // One that reads nothing closes its end.
    child.stdin.on('error', () => undefined);
    child.stdin.end(item.payload);
    // What it leaves running may keep its output open.
    child.on('exit', (code, by) => {
      child.stderr.destroy();
      if (code === 0) resolve({ outcome: 'done', message: 'Ended well.' });
      else failed(by === null ? `Ended with ${code}. ${said.trim()}` : `Ended by ${by}: not done in time.`);
    });
  });
}
