import type { Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import { checkSharedName } from '../../notary/own-keys/own-name.js';
import type { SigningKeyStore } from '../../notary/own-keys/signing-key-store.js';
import type { SigningKey } from '../../notary/signing/signer.js';
import {
  appendSigningKey,
  loadSigningKeys,
  setSigningKeyAside,
} from '../../notary/signing/signing-key-file.js';
import { peerSnippets, type TrustedKey } from './own-signing-keys.js';
import { planRotation } from './rotation-plan.js';

export interface KeyRotationOptions {
  serverName: string;
  /** Setting signing_key_path; `null`: somebody else publishes the record of our name. */
  path: string | null;
  /** Setting key_server_signing_keys_path. */
  notaryPath: string | null;
  /** `null` when there is none beside us. */
  homeserverUrl: string | null;
  /** Setting key_refresh_interval. */
  validityMs: number;
  store: SigningKeyStore;
  clock: Clock;
}

/**
 * Replaces a signing key of ours, step by step. Between the steps the server is started anew, since it reads its keys at
 * the start.
 */
export class KeyRotation {
  constructor(private readonly options: KeyRotationOptions) {}

  /** With everything that people want to read about it. */
  async view() {
    const { serverName, store, validityMs, clock, homeserverUrl } = this.options;
    const [stored, own] = await Promise.all([store.list(), store.findOwnRecord(serverName)]);
    const file = await this.#readFile();
    const formerUntilTs = own?.formerUntilTs ?? null;
    const rotation = planRotation({ file, stored, formerUntilTs, validityMs }, clock.now());
    const retired = stored.filter(({ state }) => state === 'retired');
    const lines = retired.map(
      ({ keyId, publicKey, retiredTs }) =>
        `  ${JSON.stringify(keyId)}: { key: ${JSON.stringify(publicKey)}, expired_ts: ${retiredTs} }\n`,
    );
    const signing = file ?? stored.filter(({ state }) => state === 'active');
    return {
      ...rotation,
      /** Why no key can be replaced from here; `null`: it can. */
      obstacle: this.#obstacle(),
      /** What peers put into their configuration: every key that signs or is about to. */
      peerSnippets: signing.length === 0 ? [] : peerSnippets(serverName, signing),
      /** Lines for our own configuration, which name the retired keys where nobody else does. */
      oldSigningKeys:
        homeserverUrl === null || retired.length === 0 ? null : `old_signing_keys:\n${lines.join('')}`,
    };
  }

  /** Adds a new key to the file. Throws `ApiError` 409 when it is not the time, 500 when the file is unfit. */
  async begin(version: string | undefined): Promise<SigningKey> {
    const path = this.#requirePath();
    const { newKey } = await this.view();
    if (newKey !== null)
      throw conflict(`${newKey.keyId} is already replacing another key. Finish that rotation first`);
    await this.#refuseHomeserversFile(path);
    return appendSigningKey(path, version);
  }

  /**
   * Takes the old key out of the file, into one beside it, whose path it returns. Throws `ApiError` 409 when it is not
   * the time.
   */
  async retire(): Promise<{ keyId: string; keptPath: string }> {
    const path = this.#requirePath();
    const { oldKey, step, safeTs } = await this.view();
    if (oldKey === null || (step !== 'retire' && step !== 'wait'))
      throw conflict('No key can be retired now: the new one must be published first');
    if (step === 'wait')
      throw conflict(
        `Until ${new Date(safeTs ?? 0).toISOString()} peers may hold a record without the new key and reject its ` +
          'signatures. Wait until then',
      );
    return { keyId: oldKey.keyId, keptPath: await setSigningKeyAside(path, oldKey.keyId) };
  }

  #obstacle(): string | null {
    const { path, notaryPath } = this.options;
    if (path === null) return 'The homeserver publishes the record of our name: replace the key there.';
    if (notaryPath === null || notaryPath === path) return null;
    return (
      'Answers are signed with the keys of key_server_signing_keys_path, which must change together with ' +
      'signing_key_path. Remove that setting, or change both files by hand.'
    );
  }

  #requirePath(): string {
    const obstacle = this.#obstacle();
    const { path } = this.options;
    if (path === null || obstacle !== null) throw conflict(obstacle ?? '');
    return path;
  }

  async #readFile(): Promise<TrustedKey[] | null> {
    const { path } = this.options;
    if (path === null) return null;
    try {
      const keys = await loadSigningKeys(path);
      return keys.map(({ keyId, publicKeyBase64: publicKey }) => ({ keyId, publicKey }));
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  }

  /** A new key in a file that the homeserver shares would be in our record and not in the homeserver's. */
  async #refuseHomeserversFile(path: string): Promise<void> {
    const { homeserverUrl, serverName } = this.options;
    if (homeserverUrl === null) return;
    const question = { homeserverUrl, serverName, activeKeys: await loadSigningKeys(path) };
    const { isShared, silence } = await checkSharedName(question);
    if (isShared)
      throw conflict('The homeserver has our name and publishes its record: replace its key there');
    if (silence !== null) throw conflict(`Could not ask the homeserver whether it uses our name: ${silence}`);
  }
}

function conflict(message: string): ApiError {
  return new ApiError(409, message, { reason: 'rotation_refused' });
}
