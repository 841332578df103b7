import { createHash } from 'node:crypto';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { healthLine } from '../../support/health-line.js';
import { makeTestKey } from '../../support/origins/key-record-maker.js';
import { K1, K2 } from '../../support/origins/record-recipes.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
} from '../../support/origins/remote-server.js';
import {
  checkpointOf,
  getCheckpoint,
  getEntries,
  getLog,
  readEntry,
  readProof,
  rootOfEntries,
} from '../../support/clients/log-client.js';
import { getKeys, postKey } from '../../support/clients/notary-client.js';
import { testEngines } from '../../support/store/databases.js';
import { startTestService, type TestService } from '../../support/service.js';
import { setUp } from '../../support/set-up.js';

const HOUR_MS = 3_600_000;

describe.each(testEngines())('the log (SPEC §4.15), on %s', (engine) => {
  const authority = setUp(createTestAuthority);
  let service: TestService;
  let remote: RemoteServer;

  beforeAll(async () => {
    service = await startTestService({ engine, caPaths: [authority.caPath] });
  });
  beforeEach(async () => {
    remote = await startRemoteServer(authority, { keys: [K1], validUntilTs: validUntilTs() });
  });
  afterEach(() => remote.origin.close());
  afterAll(() => service.remove());

  const validUntilTs = () => service.clock.now() + 10 * HOUR_MS;
  /** Fetches what is published now; entries that this added, once they are in the log. */
  const entriesOf = async (change: Parameters<RemoteServer['publish']>[0], added = 1) => {
    const { size } = await getCheckpoint(service.url);
    service.clock.advance(6 * HOUR_MS);
    remote.publish({ validUntilTs: validUntilTs(), ...change });
    await postKey(service.url, remote.serverName);
    const grown = await checkpointOf(service.url, size + added);
    return (await getEntries(service.url, grown.size)).slice(size).map(readEntry);
  };

  it('enters the first record of a server, as canonical JSON, and proves it', async () => {
    const before = await getCheckpoint(service.url);
    const published = remote.publish({});
    await postKey(service.url, remote.serverName);
    const { size, root, note } = await checkpointOf(service.url, before.size + 1);
    const entries = await getEntries(service.url, size);
    expect(rootOfEntries(entries)).toBe(root);
    const entry = readEntry(entries.at(-1)!);
    expect(entry).toEqual({
      event: 'server_first_seen',
      observed_ts: service.clock.now(),
      old_verify_keys: {},
      record_sha256: entry.record_sha256,
      server_name: remote.serverName,
      valid_until_ts: validUntilTs(),
      verify_keys: { [K1.keyId]: { key: K1.publicKey } },
      version: 1,
    });

    const record = Buffer.from(
      await (await getLog(service.url, `record/${entry.record_sha256}`)).arrayBuffer(),
    );
    expect(createHash('sha256').update(record).digest('hex')).toBe(entry.record_sha256);
    expect(JSON.parse(record.toString())).toEqual(JSON.parse(published.toString()));

    for (const path of [`proof/${remote.serverName}/${K1.keyId}`, `proof/record/${entry.record_sha256}`]) {
      const response = await getLog(service.url, path);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      const proof = readProof(await response.text());
      expect(proof).toEqual({ entry: entries.at(-1), index: size - 1, note, isValid: true });
    }
  });

  it('enters new bytes and changes of keys, and nothing for equal bytes', async () => {
    expect(await entriesOf({})).toMatchObject([{ event: 'server_first_seen' }]);
    expect(await entriesOf({})).toMatchObject([{ event: 'record', verify_keys: { [K1.keyId]: {} } }]);
    const old = { [K1.keyId]: { key: K1.publicKey, expired_ts: 1 } };
    const rotated = { keys: [K2], oldKeys: [{ key: K1, expiredTs: 1 }] };
    expect(await entriesOf(rotated)).toMatchObject([
      { event: 'keys_changed', old_verify_keys: old, verify_keys: { [K2.keyId]: { key: K2.publicKey } } },
    ]);

    // Equal bytes, fetched again, and after them those of another server.
    service.clock.advance(6 * HOUR_MS);
    const hits = remote.hits();
    await postKey(service.url, remote.serverName, K2.keyId);
    expect(remote.hits()).toBe(hits + 1);
    const other = await startRemoteServer(authority, {
      keys: [makeTestKey('k1')],
      validUntilTs: validUntilTs(),
    });
    const { size } = await getCheckpoint(service.url);
    await postKey(service.url, other.serverName);
    const grown = await checkpointOf(service.url, size + 1);
    await other.origin.close();
    const names = (await getEntries(service.url, grown.size))
      .slice(size)
      .map((entry) => readEntry(entry).server_name);
    expect(names).toEqual([other.serverName]);
  });

  it('enters what waits before the service ends', async () => {
    const { size } = await getCheckpoint(service.url);
    await postKey(service.url, remote.serverName);
    service = await service.restart();
    expect((await getCheckpoint(service.url)).size).toBe(size + 1);
  });

  it('says what caches may keep, and what there is not', async () => {
    await entriesOf({});
    const head = async (path: string, init?: RequestInit) => {
      const { status, headers } = await getLog(service.url, path, init);
      return [status, headers.get('cache-control'), headers.get('content-type')];
    };
    const forEver = 'public, max-age=31536000, immutable';
    expect(await head('checkpoint')).toEqual([200, 'public, max-age=1', 'text/plain; charset=utf-8']);
    expect(await head('tile/0/000.p/1')).toEqual([200, forEver, 'application/octet-stream']);
    expect(await head('tile/entries/000.p/1', { method: 'HEAD' })).toEqual([
      200,
      forEver,
      'application/octet-stream',
    ]);
    expect((await head('checkpoint', { method: 'OPTIONS' }))[0]).toBe(204);
    const none = [404, 'no-cache, no-store, must-revalidate', 'application/json'];
    for (const path of [
      'tile/0/000',
      'tile/0/000.p/255',
      'tile/1/000.p/1',
      'tile/entries/001.p/1',
      'tile/0/0',
      'tile/9/000',
      'tile',
      'nothing',
      'checkpoint/more',
      `record/${'0'.repeat(64)}`,
      'record/..',
      `proof/record/${'0'.repeat(64)}`,
      'proof/unknown.example/ed25519:a',
      'proof/unknown.example',
      'proof/unknown.example/%00',
      'proof/%00/ed25519:a',
    ]) {
      expect([path, ...(await head(path))]).toEqual([path, ...none]);
    }
    expect((await head('checkpoint', { method: 'POST' }))[0]).toBe(405);
    expect((await head('proof/%ff/a'))[0]).toBe(400);
  });

  it('is shown in the metrics and by health', async () => {
    const { size } = await getCheckpoint(service.url);
    const shown = await service.context.parts.metrics.registry.metrics();
    expect(shown).toContain(`vidimus_log_entries ${size}\n`);
    expect(shown).toContain('vidimus_log_merge_delay_seconds 0\n');
    expect(await healthLine(service, 'log')).toMatchObject({
      state: 'ok',
      message: `The log has ${size} entries.`,
    });
  });

  it('changes no byte of a key query', async () => {
    await postKey(service.url, remote.serverName);
    const { text } = await getKeys(service.url, `query/${remote.serverName}`);
    const without = await service.restart({ log: { enabled: false } });
    expect((await getKeys(without.url, `query/${remote.serverName}`)).text).toBe(text);
    expect((await getLog(without.url, 'checkpoint')).status).toBe(404);
    service = await without.restart({ log: { enabled: true } });
  });
});
