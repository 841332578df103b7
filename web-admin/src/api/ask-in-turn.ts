import { toRequestError } from './request-error.js';

/** So long is waited in all. */
const MAX_WAIT_MS = 60_000;
/** Where an answer does not say how long. */
const UNTOLD_WAIT_MS = 1_000;

/** Asks; while more is asked than one may ask, waits as long as the server says and asks again. */
export async function askInTurn<Data>(ask: () => Promise<Data>, signal?: AbortSignal): Promise<Data> {
  for (let leftMs = MAX_WAIT_MS; ;) {
    try {
      return await ask();
    } catch (error) {
      const { code, details } = toRequestError(error);
      const waitMs = Math.max(1, details.retryAfterMs ?? UNTOLD_WAIT_MS);
      if (code !== 'RATE_LIMITED' || waitMs > leftMs) throw error;
      leftMs -= waitMs;
      await pause(waitMs, signal);
    }
  }
}

/** Rejects with the signal's reason when that comes first. */
function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, waitMs);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
