import type { Buffer } from 'node:buffer';
import { setTimeout } from 'node:timers/promises';

import { Deadline } from '../../../base/deadline.js';
import type { ApiError } from '../../../base/errors/api-error.js';
import { outboundError, toOutboundError } from '../../../base/errors/outbound-error.js';
import { withoutTrailing } from '../../../base/text/without-trailing.js';
import {
  createTrustedConnections,
  fetchTrusted,
  type TrustedResponse,
} from '../../../net/http/trusted-client.js';

/** What it is built from. */
export interface RemoteLogOptions {
  /** Address of the log: what stands in front of `/checkpoint`. */
  url: URL;
  /** Ends requests that are under way. */
  signal: AbortSignal;
  /** Waits before a request that failed is sent again, ms. */
  retryMs?: readonly number[];
}

/** As many requests at a time as a browser sends to one server. */
export const MAX_CONNECTIONS = 6;
const TIMEOUT_MS = 30_000;
const RETRY_MS = [500, 2000];

/** A log at an address that the operator named, over connections that stay open. */
export class RemoteLog {
  readonly #agents = createTrustedConnections(MAX_CONNECTIONS);

  constructor(private readonly options: RemoteLogOptions) {}

  /**
   * Reads below the address; `null`: 404. Rejects with `ApiError` when no complete answer comes, however often it is
   * asked, or none of at most so many bytes.
   */
  async read(path: string, maxBytes: number): Promise<Buffer | null> {
    const { retryMs = RETRY_MS, signal } = this.options;
    for (const waitMs of retryMs) {
      const found = await this.#readOnce(path, maxBytes).catch((error: ApiError) => {
        if (error.reason === 'too_large' || signal.aborted) throw error;
        return error;
      });
      if (!(found instanceof Error)) return found;
      await setTimeout(waitMs, undefined, { signal }).catch(() => undefined);
    }
    return this.#readOnce(path, maxBytes);
  }

  /** Ends the connections. */
  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  async #readOnce(path: string, maxBodyBytes: number): Promise<Buffer | null> {
    const url = new URL(this.options.url);
    url.pathname = `${withoutTrailing(url.pathname, '/')}/${path}`;
    const deadline = new Deadline(TIMEOUT_MS, this.options.signal);
    try {
      const { status, body } = await this.#get(url, maxBodyBytes, deadline);
      if (status === 200) return body;
      if (status === 404) return null;
      throw outboundError('http_status', `${url.href} answered with status ${status}`);
    } finally {
      deadline.close();
    }
  }

  #get(url: URL, maxBodyBytes: number, deadline: Deadline): Promise<TrustedResponse> {
    const request = { url, headers: {}, maxBodyBytes, deadline, agents: this.#agents };
    return fetchTrusted(request).catch((error: unknown) => {
      if (deadline.signal.aborted)
        throw deadline.error('timeout_body', `${url.href} within ${TIMEOUT_MS} ms`);
      throw toOutboundError(error, 'connection_reset');
    });
  }
}
