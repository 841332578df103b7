import http from 'node:http';
import https from 'node:https';

import type { Config } from '../config/schema.js';
import { isJsonObject } from '../core/base/json/json-value.js';
import { parseStrictJson } from '../core/base/json/strict-json.js';

const TIMEOUT_MS = 5000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** What the service said about itself, or why it did not: one sentence each. */
export interface ReadinessAnswer {
  isReady: boolean;
  sentence: string;
}

/** Asks the first listener that serves health, from this machine, as its configuration has it. */
export async function askReadiness({ listeners }: Config): Promise<ReadinessAnswer> {
  const listener = listeners.find(({ resources }) => resources.includes('health'));
  if (listener === undefined)
    return notReady('No listener serves health; add it to the resources of one under "listeners".');
  const { port, tls } = listener;
  if (port === 0)
    return notReady('The listener that serves health takes any free port; give it a fixed one to be asked.');
  const host = askableAddress(listener.bind_addresses[0] ?? '127.0.0.1');
  const url = new URL(`${tls ? 'https' : 'http'}://${host}:${port}/health/ready`);
  try {
    return readAnswer(await get(url), url);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return notReady(`No answer from ${url.href}: ${why}.`);
  }
}

function notReady(sentence: string): ReadinessAnswer {
  return { isReady: false, sentence };
}

/** Every address of the machine includes its loopback one; IPv6 needs brackets in a URL. */
function askableAddress(bound: string): string {
  if (bound === '0.0.0.0') return '127.0.0.1';
  if (bound === '::') return '[::1]';
  return bound.includes(':') ? `[${bound}]` : bound;
}

function readAnswer({ status, body }: { status: number; body: Buffer }, url: URL): ReadinessAnswer {
  if (status === 200) return { isReady: true, sentence: `Ready, says ${url.href}.` };
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

/** Rejects when no complete answer comes in time. */
function get(url: URL): Promise<{ status: number; body: Buffer }> {
  const client = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    // The certificate names the server, not the address asked; nothing is sent that others must not read.
    const request = client.get(url, { rejectUnauthorized: false, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= MAX_ANSWER_BYTES) chunks.push(chunk);
        else request.destroy(new Error('the answer is too long'));
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
    });
    const limit = setTimeout(() => {
      request.destroy(new Error(`nothing within ${TIMEOUT_MS / 1000} s`));
    }, TIMEOUT_MS);
    request.on('error', reject);
    request.on('close', () => clearTimeout(limit));
  });
}
