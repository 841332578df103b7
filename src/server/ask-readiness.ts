import type { Config } from '../config/schema.js';
import { isJsonObject } from '../core/base/json/json-value.js';
import { parseStrictJson } from '../core/base/json/strict-json.js';
import { askOwn, ownListener } from './own-listener.js';

const BOUNDS = { timeoutMs: 5000, maxAnswerBytes: 64 * 1024 };

/** What the service said about itself, or why it did not: one sentence each. */
export interface ReadinessAnswer {
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
