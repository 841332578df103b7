import type { Buffer } from 'node:buffer';
import { setTimeout } from 'node:timers/promises';

import { UnavailableError, sendRequest } from '../http.js';

export interface RemoteLogOptions {
  /** Address of the log: the part before `/checkpoint`. */
  url: URL;
  /** Cancels running requests. */
  signal: AbortSignal;
  /** Delays before a failed request is sent again, ms. */
  retryMs?: readonly number[];
}

const TIMEOUT_MS = 30_000;
const RETRY_MS = [500, 2000];

/** A log at an address that the operator named. */
export class RemoteLog {
  constructor(private readonly options: RemoteLogOptions) {}

  /**
   * Reads below the address; `null`: 404. Rejects with `UnavailableError` when every try fails, at once when the answer
   * has more than `maxBytes`.
   */
  async read(path: string, maxBytes: number): Promise<Buffer | null> {
    const { retryMs = RETRY_MS, signal } = this.options;
    for (const waitMs of retryMs) {
      try {
        return await this.#readOnce(path, maxBytes);
      } catch (error) {
        const isFinal = error instanceof UnavailableError && error.reason === 'too_large';
        if (isFinal || signal.aborted) throw error;
      }
      await setTimeout(waitMs, undefined, { signal }).catch(() => undefined);
    }
    return this.#readOnce(path, maxBytes);
  }

  async #readOnce(path: string, maxBodyBytes: number): Promise<Buffer | null> {
    const url = new URL(this.options.url);
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
    const request = { url, maxBodyBytes, timeoutMs: TIMEOUT_MS, signal: this.options.signal };
    const { status, body } = await sendRequest(request);
    if (status === 200) return body;
    if (status === 404) return null;
    throw new UnavailableError(`${url.href} answered with status ${status}`, 'status');
  }
}
