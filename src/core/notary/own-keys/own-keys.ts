import { createHash } from 'node:crypto';

import { CLOCKS_APART_MS, type Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { resolveOwnKeys } from './own-key-states.js';
import type { OwnName } from './own-name.js';
import { NOTHING_KNOWN, type KnownRecord, type KnownServer } from '../keys/record-cache.js';
import { buildOwnRecord, type RetiredKey } from '../key-record/record-signing.js';
import type { SigningKeyRow, SigningKeyStore, StoredOwnRecord } from './signing-key-store.js';
import type { SigningKey } from '../signing/signer.js';

export interface OwnKeysOptions {
  serverName: string;
  /** Nothing is published under it before it is known to be ours. */
  name: Pick<OwnName, 'objection' | 'require' | 'isOurs' | 'isTimed' | 'trust'>;
  /** Keys that sign and are published. None: the record of our name is somebody else's to publish. */
  activeKeys: readonly SigningKey[];
  /** Setting old_signing_keys. */
  configuredOld: readonly RetiredKey[];
  /**
   * Whether keys that left the key file are published as old. Not beside a homeserver: if it shares our name, a key we
   * once made would get into its record.
   */
  publishesFormer: boolean;
  /** Setting key_refresh_interval: how long a record of ours is valid. */
  validityMs: number;
  store: SigningKeyStore;
  /** Told of keys that are new or changed before that is stored: nothing changes unless somebody has written it down. */
  onChanged: (changes: readonly OwnKeyChange[]) => Promise<void>;
  clock: Clock;
  logger: Logger;
}

/** A key of ours as it was, `null` when it is new, and as it is now. */
export interface OwnKeyChange {
  before: SigningKeyRow | null;
  after: SigningKeyRow;
}

/** Row ids of the store are positive, so this one is never a stored record's. */
const OWN_RECORD_ID = 0;

/**
 * The keys we sign with and the record we publish about them. The record is stable until half of its life
 * has passed, over restarts and on all instances; retired keys stand in `old_verify_keys` with the time they were retired.
 */
export class OwnKeys {
  #retired: readonly RetiredKey[];
  #record: StoredOwnRecord | null = null;
  #known: KnownServer | null = null;
  #pending: Promise<void> = Promise.resolve();

  private constructor(private readonly options: OwnKeysOptions) {
    this.#retired = options.configuredOld;
  }

  /**
   * Compares key file, configuration and store, remembers changes, and makes the first record if need be. Resolves to
   * `null` when there is none to publish. While the clock cannot be right nothing of that is done: `keep` does it.
   */
  static async open(options: OwnKeysOptions): Promise<OwnKeys | null> {
    const { name, activeKeys } = options;
    const ownKeys = new OwnKeys(options);
    if (name.isTimed) await ownKeys.#noticeKeys();
    if (activeKeys.length === 0) return null;
    if (ownKeys.#record === null && name.isOurs) await ownKeys.keep();
    if (ownKeys.#record !== null) name.trust();
    return ownKeys;
  }

  /** Stores the first record, before it is published: the store would take such a name for ours. */
  async keep(): Promise<void> {
    if (this.#record !== null) return;
    await this.#noticeKeys();
    const { store, serverName, clock } = this.options;
    this.#record ??= await store.keepOwnRecord(serverName, this.#make(clock.now()));
  }

  /** Compares our keys with what is stored of them, and takes the record that was made of the same ones. */
  async #noticeKeys(): Promise<void> {
    const { store, clock, logger, configuredOld, activeKeys, serverName } = this.options;
    const active = activeKeys.map((key) => ({ keyId: key.keyId, publicKey: key.publicKeyBase64 }));
    const stored = await store.list();
    const states = resolveOwnKeys({ active, configuredOld, stored }, clock.now());
    if (states.errors.length > 0) throw new Error(states.errors.join('; '));
    if (states.changed.length > 0) {
      const before = new Map(stored.map((row) => [row.keyId, row]));
      await this.options.onChanged(
        states.changed.map((after) => ({ before: before.get(after.keyId) ?? null, after })),
      );
      await store.save(states.changed);
    }
    for (const note of states.notes) logger.warn(note);
    if (active.length === 0) return;

    this.#retired = this.options.publishesFormer ? states.retired : configuredOld;
    const published = await store.findOwnRecord(serverName);
    if (published?.keySet !== this.#keySet()) return;
    // The same bytes again: what is published is checked by both libraries at every start.
    this.#record = this.#make(published.createdTs);
  }

  /** Canonical bytes of our own record, signed by every active key and nobody else. Throws 503 as `OwnName` does. */
  published(): Buffer {
    return this.#current().published;
  }

  /** Our own record in the form the notary answers with. Throws 503 as `OwnName` does. */
  known(): KnownServer {
    const { validUntilTs, createdTs, published } = this.#current();
    if (this.#known === null) {
      const record: KnownRecord = {
        id: OWN_RECORD_ID,
        addedTs: createdTs,
        validUntilTs,
        publishedBytes: published.length,
        element: () => published,
      };
      const keyIds = [...this.options.activeKeys, ...this.#retired].map((key) => key.keyId);
      const byKeyId = new Map(keyIds.map((keyId) => [keyId, record]));
      this.#known = { records: [record], byKeyId };
    }
    return this.#known;
  }

  /** The same, where a record that is withheld is one that cannot be had. */
  peek(): KnownServer {
    return this.options.name.objection === null ? this.known() : NOTHING_KNOWN;
  }

  /** Resolves when a renewed record has been stored. */
  async settle(): Promise<void> {
    await this.#pending;
  }

  /** The record, made anew once half of its life has passed or the clock went back before its making. */
  #current(): StoredOwnRecord {
    const { name, clock } = this.options;
    name.require();
    const nowTs = clock.now();
    const former = this.#record;
    if (former !== null && isYoung(former, nowTs)) return former;

    const record = this.#make(former === null ? nowTs : renewalTs(former, nowTs));
    this.#record = record;
    this.#known = null;
    this.#pending = this.#pending.then(() => this.#keepRenewed(record));
    return record;
  }

  /** Stores a renewed record, unless another young one of the same keys is stored: all instances go on with that. */
  async #keepRenewed(record: StoredOwnRecord): Promise<void> {
    const { store, serverName, clock, logger } = this.options;
    try {
      const stored = await store.findOwnRecord(serverName);
      if (stored?.keySet !== record.keySet || !isYoung(stored, clock.now()))
        return await store.saveOwnRecord(serverName, record);
      if (this.#record !== record) return;
      this.#record = stored;
      this.#known = null;
    } catch (error) {
      logger.warn({ err: error }, 'own key record could not be stored');
    }
  }

  #make(createdTs: number): StoredOwnRecord {
    const { serverName, activeKeys, validityMs } = this.options;
    const validUntilTs = createdTs + validityMs;
    const published = buildOwnRecord({ serverName, activeKeys, retiredKeys: this.#retired, validUntilTs });
    return { published, createdTs, validUntilTs, keySet: this.#keySet() };
  }

  #keySet(): string {
    const { serverName, activeKeys, validityMs } = this.options;
    const active = activeKeys.map((key) => [key.keyId, key.publicKeyBase64]);
    const retired = this.#retired.map((key) => [key.keyId, key.publicKey, key.expiredTs]);
    return createHash('sha256')
      .update(JSON.stringify([serverName, active, retired, validityMs]))
      .digest('hex');
  }
}

function isYoung({ createdTs, validUntilTs }: StoredOwnRecord, nowTs: number): boolean {
  return createdTs + validUntilTs >= 2 * nowTs && createdTs <= nowTs + CLOCKS_APART_MS;
}

/**
 * When a record that follows the former counts as made: whole halves of a life later (or earlier, by a clock that was
 * set back), so that all instances make the same bytes without asking each other, and while the store is away.
 */
function renewalTs({ createdTs, validUntilTs }: StoredOwnRecord, nowTs: number): number {
  const halfMs = Math.floor((validUntilTs - createdTs) / 2);
  return createdTs + halfMs * (Math.ceil((nowTs - createdTs) / halfMs) - 1);
}
