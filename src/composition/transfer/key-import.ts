import type { Config } from '../../config/schema.js';
import { FetchStore } from '../../core/notary/keys/fetch-store.js';
import { KeyStore } from '../../core/notary/keys/key-store.js';
import type { Pins } from '../../core/notary/oversight/pins.js';
import type { Oversight } from '../../core/operators/oversight/oversight.js';
import type { KeyImportOptions, KeyImportState } from '../../core/operators/keys/transfer/key-import.js';
import { createStorageBounds, keyRecordPolicyOf, throttleOf } from '../key-fetch.js';
import type { ContextParts } from '../parts.js';

/** Stores the records of an export, which is read line by line. */
export type ImportKeys = (lines: AsyncIterable<Uint8Array>, state: KeyImportState) => Promise<void>;

interface Neighbours {
  oversight: { pins: Pins; oversight: Oversight };
  keys: { forgetRecords: KeyImportOptions['onStored'] };
}

/** Stores records of another notary's export as the configuration says; nobody is told of what is long past. */
export function createKeyImport(config: Config, parts: ContextParts, neighbours: Neighbours): ImportKeys {
  const { database, clock } = parts;
  return async (lines, state) => {
    const { importKeys } = await import('../../core/operators/keys/transfer/key-import.js');
    const { pins, oversight } = neighbours.oversight;
    const listener = { alarms: oversight.listener.alarms, appended: async () => undefined };
    const options: KeyImportOptions = {
      database,
      keyStore: new KeyStore(database, config.log.enabled ? clock : null, listener),
      fetchStore: new FetchStore(database),
      maxKeptFetches: config.federation.max_kept_fetches,
      budget: createStorageBounds(config, parts).budget,
      pins,
      listener,
      policy: keyRecordPolicyOf(config),
      throttle: throttleOf(config),
      maxRecordBytes: config.federation.max_key_record_size,
      ownName: config.signing_key_path === null ? null : config.server_name,
      nowTs: clock.now(),
      onStored: neighbours.keys.forgetRecords,
    };
    await importKeys(lines, options, state);
  };
}
