import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { respondJson, startKeyOrigin, type KeyOrigin } from './key-origin.js';
import { makeKeyRecord, makeTestKey, type KeyRecordOptions, type TestKey } from './key-record-maker.js';
import { createTestCa, type TestCa } from './test-ca.js';

/** An authority whose certificate lies in a file, as settings want it. */
export interface TestAuthority extends TestCa {
  caPath: string;
  remove(): Promise<void>;
}

/** Makes a throwaway authority. */
export async function createTestAuthority(): Promise<TestAuthority> {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-ca-'));
  const ca = await createTestCa();
  const caPath = join(folder, 'ca.pem');
  await writeFile(caPath, ca.caPem);
  return { ...ca, caPath, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** A remote server under an IP literal name, which publishes a signed record. */
export interface RemoteServer {
  serverName: string;
  origin: KeyOrigin;
  key: TestKey;
  /** Requests for its keys so far. */
  hits(): number;
  /** Publishes a record from now on; what is not given stays as it was. Returns its bytes. */
  publish(record: Partial<KeyRecordOptions>): Buffer;
}

/** Starts a remote server that trusts nobody and is trusted through the authority. */
export async function startRemoteServer(
  authority: TestAuthority,
  record: Partial<KeyRecordOptions> & { validUntilTs: number | bigint },
): Promise<RemoteServer> {
  const certificate = await authority.leaf({ names: ['127.0.0.1'] });
  const origin = await startKeyOrigin({ certificate, respond: respondJson('{}') });
  const key = record.keys?.[0] ?? makeTestKey('k1');
  let current: KeyRecordOptions = { serverName: origin.serverName, keys: [key], ...record };
  const publish = (changes: Partial<KeyRecordOptions>) => {
    current = { ...current, ...changes };
    const bytes = makeKeyRecord(current);
    origin.respond = respondJson(bytes);
    return bytes;
  };
  publish({});
  return { serverName: origin.serverName, origin, key, hits: () => origin.hits.length, publish };
}
