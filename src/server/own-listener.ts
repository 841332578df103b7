import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';

import { localAddress } from '../config/output/proxy.js';
import type { Config } from '../config/schema.js';
import type { Resource } from '../config/settings/server-settings.js';
import { isJsonObject } from '../core/base/json/json-value.js';
import { parseStrictJson } from '../core/base/json/strict-json.js';

export interface OwnRequest {
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string;
  timeoutMs: number;
}

/** Address of the first listener with a resource on this machine, or one sentence that says why there is none. */
export function ownListener({ listeners }: Config, resource: Resource): URL | string {
  const listener = listeners.find(({ resources }) => resources.includes(resource));
  if (listener === undefined)
    return `No listener serves ${resource}; add it to the resources of one under "listeners".`;
  if (listener.port === 0)
    return `The listener that serves ${resource} uses any free port; give it a fixed one.`;
  return new URL(`${listener.tls ? 'https' : 'http'}://${localAddress(listener)}/`);
}

/** Rejects when no complete answer comes in time. */
export async function askOwn(
  url: URL,
  { timeoutMs, body, ...rest }: OwnRequest,
): Promise<{ status: number; body: Buffer }> {
  const signal = AbortSignal.timeout(timeoutMs);
  // The certificate names the server, not the address asked.
  const options = { ...rest, signal, rejectUnauthorized: false, agent: false } as const;
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = (url.protocol === 'https:' ? https : http).request(url, options, resolve);
      request.on('error', reject).end(body);
    });
    return { status: response.statusCode ?? 0, body: await buffer(response) };
  } catch (error) {
    throw signal.aborted ? new Error(`no answer within ${timeoutMs / 1000} s`) : error;
  }
}

/** Resolves to the address at which the running server says that it is ready. Rejects with one sentence. */
export async function askReadiness(config: Config): Promise<string> {
  const listener = ownListener(config, 'health');
  if (typeof listener === 'string') throw new Error(listener);
  const url = new URL('/health/ready', listener);
  const { status, body } = await askOwn(url, { timeoutMs: 5000 }).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    // Without its cause, which commands would take for the database's.
    throw new Error(`No answer from ${url.href}: ${why}.`);
  });
  if (status === 200) return url.href;
  throw new Error(`Not ready: ${reasonIn(body) ?? `status ${status} from ${url.href}.`}`);
}

/** `null` for an answer that is not this service's. */
function reasonIn(body: Buffer): string | null {
  try {
    const answer = parseStrictJson(body);
    const reason = isJsonObject(answer) ? answer['reason'] : null;
    return typeof reason === 'string' ? reason : null;
  } catch {
    return null;
  }
}
