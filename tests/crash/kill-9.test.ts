import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openDriver } from '../../src/core/store/sqlite/driver.js';
import { startVidimus, temporaryFolder, writeConfig, type Running } from '../cli/vidimus.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../support/store/databases.js';
import { seededRandom } from '../support/mutations.js';
import { getKeys, isSignedBy, postKey } from '../support/clients/notary-client.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
} from '../support/origins/remote-server.js';
import { OWN_NAME } from '../support/service.js';
import { setUp } from '../support/set-up.js';

const ROUNDS = { sqlite: 3, postgresql: 1 };
const SERVERS_PER_ROUND = 30;
const HOUR_MS = 3_600_000;

describe.each(testEngines())('a service killed with -9 during a burst of fetches, on %s', (engine) => {
  const authority = setUp(createTestAuthority);
  let database: TestDatabase;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const remotes: RemoteServer[] = [];

  beforeAll(async () => {
    database = await createTestDatabase(engine);
    folder = await temporaryFolder();
  });
  afterAll(async () => {
    await Promise.all(remotes.map((remote) => remote.origin.close()));
    await database.cleanup();
    await folder.remove();
  });

  const startProcess = async () => {
    const { options } = database;
    await writeConfig(folder.path, {
      server_name: OWN_NAME,
      ip_range_whitelist: ['127.0.0.0/8'],
      federation_custom_ca_list: [authority.caPath],
      database:
        options.engine === 'sqlite'
          ? { engine: 'sqlite', path: options.path }
          : { engine: 'postgresql', url: options.url, max_connections: 5 },
    });
    const running = startVidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });
    await running.log('ready');
    return { running, url: await running.url('keys') };
  };
  const kill = async (running: Running) => {
    running.child.kill('SIGKILL');
    expect((await running.finished).signal).toBe('SIGKILL');
  };
  /** Asks for all at once and kills the service after some answers; what was answered, by server name. */
  const answeredBefore = async (
    service: { running: Running; url: string },
    burst: RemoteServer[],
    answers: number,
  ) => {
    const answered = new Map<string, string>();
    await Promise.all(
      burst.map(async (remote) => {
        const answer = await postKey(service.url, remote.serverName).catch(() => null);
        if (answer?.status !== 200 || answer.records.length === 0) return;
        answered.set(remote.serverName, answer.text);
        if (answered.size === answers) await kill(service.running);
      }),
    );
    return answered;
  };

  it('has every record it answered after the restart, to the byte, and a sound store', async () => {
    const random = seededRandom(20_260_101);
    const answered = new Map<string, string>();
    for (let round = 0; round < ROUNDS[engine]; round += 1) {
      const service = await startProcess();
      const validUntilTs = Date.now() + 100 * HOUR_MS;
      const burst = await Promise.all(
        Array.from({ length: SERVERS_PER_ROUND }, () => startRemoteServer(authority, { validUntilTs })),
      );
      remotes.push(...burst);
      const fresh = await answeredBefore(service, burst, 1 + random(SERVERS_PER_ROUND - 5));
      expect(fresh.size).toBeGreaterThan(0);
      for (const [serverName, text] of fresh) answered.set(serverName, text);
    }

    const { running, url } = await startProcess();
    const { verify_keys: ownKeys } = JSON.parse((await getKeys(url, 'server')).text) as {
      verify_keys: Record<string, { key: string }>;
    };
    const [keyId = '', own] = Object.entries(ownKeys)[0] ?? [];
    for (const [serverName, text] of answered) {
      const { text: now, records } = await getKeys(url, `query/${serverName}`);
      expect(now).toBe(text);
      expect(isSignedBy(records[0]!, OWN_NAME, { keyId, publicKey: own?.key ?? '' })).toBe(true);
    }
    await kill(running);
    expect(await damage(database)).toEqual([]);
  });
});

/** What SQLite itself finds wrong with the file. */
async function damage({ options }: TestDatabase): Promise<unknown[]> {
  if (options.engine !== 'sqlite') return [];
  const connection = openDriver(options.path, 1000);
  const rows = connection.prepare('PRAGMA integrity_check').all();
  const broken = connection.prepare('PRAGMA foreign_key_check').all();
  connection.close();
  return [...rows.filter((row) => JSON.stringify(row) !== '{"integrity_check":"ok"}'), ...broken];
}
