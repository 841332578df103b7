import type { FederationClient } from '../federation/federation-client.js';
import type { FetchTrace } from '../federation/fetch-trace.js';
import { acceptKeyRecord } from '../key-record/key-record.js';
import type { AcceptedRecord, KeyRecordPolicy } from '../key-record/key-record.js';

/** A record that passed every check, with the bytes it was read from. */
export interface VerifiedFetch {
  record: AcceptedRecord;
  published: Buffer;
}

/** Remote server → verified record. Stores nothing. */
export class KeyFetcher {
  constructor(
    private readonly client: FederationClient,
    private readonly policy: KeyRecordPolicy,
    private readonly monotonicNowMs: () => number,
  ) {}

  /**
   * Asks the origin for its own record and checks it (server name, keys, signatures).
   * Every step goes to `trace`. Throws an `ApiError` whose `reason` says what failed.
   */
  async fetch(serverName: string, trace: FetchTrace): Promise<VerifiedFetch> {
    const { body } = await this.client.fetchServerKeys(serverName, { trace });
    const startedMs = this.monotonicNowMs();
    try {
      const record = acceptKeyRecord(body, serverName, this.policy);
      trace.step({
        name: 'record',
        status: 'ok',
        ms: this.monotonicNowMs() - startedMs,
        sentence: `The record of ${serverName} is signed by a key it lists.`,
        detail: { keys: record.verifyKeys.size, old_keys: record.oldVerifyKeys.size },
      });
      return { record, published: body };
    } catch (error) {
      const sentence = error instanceof Error ? error.message : 'The record could not be checked.';
      trace.step({ name: 'record', status: 'failed', ms: this.monotonicNowMs() - startedMs, sentence });
      throw error;
    }
  }
}
