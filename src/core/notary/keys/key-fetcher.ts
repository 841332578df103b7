import { ApiError } from '../../base/errors/api-error.js';
import type { Client } from '../../base/client.js';
import { EventLoopQueue } from '../../base/limits/event-loop-queue.js';
import { bodyStart } from '../../base/text/body-start.js';
import type { FederationClient } from '../federation/federation-client.js';
import type { FetchTrace } from '../federation/fetch-trace.js';
import { acceptKeyRecord, type AcceptedRecord, type KeyRecordPolicy } from '../key-record/key-record.js';

/** A record that passed every check, with the bytes it was read from. */
export interface VerifiedFetch {
  record: AcceptedRecord;
  published: Buffer;
}

/** How one fetch is run. */
export interface KeyFetchOptions {
  /** Called with the answer before it is checked: a refused one is seen, too. */
  seen?: (published: Buffer) => void;
  signal?: AbortSignal;
  /** On whose behalf names are looked up. */
  client?: Client | undefined;
  /** Whether the server has answered before. */
  isKnown?: boolean;
}

/** Remote server → verified record. Stores nothing. */
export class KeyFetcher {
  /** Checking a record takes up to 30 ms. */
  readonly #checks = new EventLoopQueue();

  constructor(
    readonly client: FederationClient,
    private readonly policy: KeyRecordPolicy,
    private readonly monotonicNowMs: () => number,
  ) {}

  /**
   * Asks the origin for its own record and checks it (server name, keys, signatures).
   * Every step goes to `trace`. Throws an `ApiError` whose `reason` says what failed.
   */
  async fetch(serverName: string, trace: FetchTrace, options: KeyFetchOptions = {}): Promise<VerifiedFetch> {
    const { seen, signal, client, isKnown } = options;
    const { body } = await this.client.fetchServerKeys(serverName, { trace, signal, client, isKnown });
    seen?.(body);
    const startedMs = this.monotonicNowMs();
    const ended = () => ({ name: 'record' as const, ms: this.monotonicNowMs() - startedMs });
    try {
      const sent = { from: client ?? serverName, bytes: body.length };
      const record = await this.#checks.result(sent, () => acceptKeyRecord(body, serverName, this.policy));
      const sentence = `The record of ${serverName} is signed by a key it lists.`;
      const detail = { keys: record.verifyKeys.size, old_keys: record.oldVerifyKeys.size };
      trace.step({ ...ended(), status: 'ok', sentence, detail });
      return { record, published: body };
    } catch (error) {
      const refused = error instanceof ApiError ? error : null;
      const reason = refused?.reason ?? 'internal';
      const isPage = reason === 'json_syntax' && /^\s*</.test(body.subarray(0, 100).toString('latin1'));
      const sentence = isPage
        ? 'The response is not JSON: it looks like an HTML page.'
        : (refused?.detail ?? 'The record could not be checked.');
      // What is no JSON is shown: most often it is the page of something else that listens there.
      const detail: Record<string, string | number> = { reason };
      if (reason.startsWith('json_')) Object.assign(detail, { bytes: body.length, body: bodyStart(body) });
      trace.step({ ...ended(), status: 'failed', sentence, detail });
      throw error;
    }
  }
}
