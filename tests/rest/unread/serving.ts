import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { TYPESCRIPT } from '../../support/typescript.js';
import type { ServingOrder, ServingReport } from './serving-process.js';

const PROCESS = fileURLToPath(new URL('serving-process.ts', import.meta.url));

/** A service in a process of its own. */
export interface Serving {
  start: ServingReport;
  tell(order: ServingOrder): Promise<ServingReport>;
  stop(): Promise<void>;
}

export async function startServing(): Promise<Serving> {
  const env = { ...process.env, MALLOC_ARENA_MAX: '2' };
  const child = fork(PROCESS, { execArgv: ['--import', TYPESCRIPT], env });
  const next = async (): Promise<ServingReport> => {
    const [said] = (await once(child, 'message')) as [ServingReport];
    return said;
  };
  const start = await next();
  return {
    start,
    tell: (order) => {
      const said = next();
      child.send(order);
      return said;
    },
    stop: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}

/** The text of a POST to the key routes. */
export function questionText(body: string): string {
  return `POST /_svc/key/v2/query HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
