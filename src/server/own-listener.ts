import http from 'node:http';
import https from 'node:https';
import type { Config } from '../config/schema.js';
import { isJsonObject } from '../core/base/json/json-value.js';
import { parseStrictJson } from '../core/base/json/strict-json.js';

/** A request to our own service. */
export interface OwnRequest {
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string;
  timeoutMs: number;
  maxAnswerBytes: number;
}

/** Where the first listener with a resource is reached from this machine, or why nobody can tell: one sentence. */
export function ownListener(
  { listeners }: Config,
  resource: Config['listeners'][number]['resources'][number],
): URL | string {
  const listener = listeners.find(({ resources }) => resources.includes(resource));
  if (listener === undefined)
    return `No listener serves ${resource}; add it to the resources of one under "listeners".`;
  const { port, tls } = listener;
  if (port === 0) return `The listener that serves ${resource} uses any free port; give it a fixed one.`;
  const host = askableAddress(listener.bind_addresses[0] ?? '127.0.0.1');
  return new URL(`${tls ? 'https' : 'http'}://${host}:${port}/`);
}

/** Every address of the machine includes its loopback one; IPv6 needs brackets in a URL. */
function askableAddress(bound: string): string {
  if (bound === '0.0.0.0') return '127.0.0.1';
  if (bound === '::') return '[::1]';
  return bound.includes(':') ? `[${bound}]` : bound;
}

/** Rejects when no complete answer comes in time. */
export function askOwn(
  url: URL,
  { method = 'GET', headers = {}, body, timeoutMs, maxAnswerBytes }: OwnRequest,
): Promise<{ status: number; body: Buffer }> {
  const client = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    // The certificate names the server, not the address asked.
    const options = { method, headers, rejectUnauthorized: false, agent: false } as const;
    const request = client.request(url, options, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= maxAnswerBytes) chunks.push(chunk);
        else request.destroy(new Error('the answer is too long'));
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
    });
    const limit = setTimeout(() => {
      request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    request.on('error', reject);
    request.on('close', () => clearTimeout(limit));
    request.end(body);
  });
}

const BOUNDS = { timeoutMs: 5000, maxAnswerBytes: 64 * 1024 };

/** What the service said about itself, or why it did not: one sentence each. */
interface ReadinessAnswer {
  isReady: boolean;
  sentence: string;
}

/** Asks the first listener that serves health, from this machine, as its configuration has it. */
export async function askReadiness(config: Config): Promise<ReadinessAnswer> {
  const listener = ownListener(config, 'health');
  if (typeof listener === 'string') return notReady(listener);
  const url = new URL('/health/ready', listener);
  try {
    return readAnswer(await askOwn(url, BOUNDS), url);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return notReady(`No answer from ${url.href}: ${why}.`);
  }
}

function notReady(sentence: string): ReadinessAnswer {
  return { isReady: false, sentence };
}

function readAnswer({ status, body }: { status: number; body: Buffer }, url: URL): ReadinessAnswer {
  if (status === 200) return { isReady: true, sentence: `Ready: ${url.href}.` };
  return notReady(`Not ready: ${reasonIn(body) ?? `status ${status} from ${url.href}.`}`);
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
