import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { testEngines } from '../../support/store/databases.js';
import { respondNever, respondStatus } from '../../support/origins/key-origin.js';
import { openRaw } from '../../support/clients/raw-http.js';
import { postKey, postKeys } from '../../support/clients/notary-client.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
} from '../../support/origins/remote-server.js';
import { startTestService, type TestService } from '../../support/service.js';
import { setUp } from '../../support/set-up.js';

const HOUR_MS = 3_600_000;
const K1 = 'ed25519:k1';

const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
};

describe.each(testEngines())('many queries at once, on %s', (engine) => {
  const authority = setUp(createTestAuthority);
  let service: TestService;
  const remotes: RemoteServer[] = [];

  beforeAll(async () => {
    service = await startTestService({
      engine,
      caPaths: [authority.caPath],
      settings: { federation: { key_query_timeout: '3s', key_fetch_timeout: '10s' } },
    });
  });
  afterEach(async () => {
    await Promise.all(remotes.splice(0).map((remote) => remote.origin.close()));
  });
  afterAll(() => service.remove());

  const startRemote = async () => {
    const remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + 10 * HOUR_MS });
    remotes.push(remote);
    return remote;
  };
  const health = (remote: RemoteServer) =>
    service.context.parts.database.client.remoteServer.findUniqueOrThrow({
      where: { serverName: remote.serverName },
    });
  const outcomes = async (remote: RemoteServer) => {
    const fetches = await service.context.parts.database.client.keyFetch.findMany({
      where: { serverName: remote.serverName },
      orderBy: { id: 'desc' },
    });
    return fetches.map((fetch) => fetch.outcome);
  };

  it('for one server never seen cause exactly one fetch, and all get its record', async () => {
    const remote = await startRemote();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => postKey(service.url, remote.serverName)),
    );
    expect(remote.hits()).toBe(1);
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers[0]?.records).toHaveLength(1);
    expect(await outcomes(remote)).toEqual(['ok']);
  });

  it('for past half-life cause exactly one fetch', async () => {
    const remote = await startRemote();
    await postKey(service.url, remote.serverName);
    service.clock.advance(6 * HOUR_MS);
    remote.publish({ validUntilTs: service.clock.now() + 10 * HOUR_MS });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => postKey(service.url, remote.serverName)),
    );
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect([remote.hits(), answers[0]?.records.length]).toEqual([2, 1]);
  });

  it('for unknown ids of one server cause ten fetches, then one in six seconds', async () => {
    const remote = await startRemote();
    await postKey(service.url, remote.serverName);
    let next = 0;
    const ask = async (count: number) => {
      const before = remote.hits();
      for (let i = 0; i < count; i += 1)
        await postKey(service.url, remote.serverName, `ed25519:none${next++}`);
      return remote.hits() - before;
    };
    expect(await ask(100)).toBe(10);
    service.clock.advance(5999);
    expect(await ask(5)).toBe(0);
    service.clock.advance(1);
    expect(await ask(5)).toBe(1);
    service.clock.advance(60 * 60_000);
    expect(await ask(20)).toBe(10);
    expect(await health(remote)).toMatchObject({ failCount: 0 });
  });

  it('of a failing server go out until the third failure; then waiting doubles up to ten minutes', async () => {
    const remote = await startRemote();
    remote.origin.respond = respondStatus(500);
    const ask = async (times: number) => {
      const before = remote.hits();
      for (let i = 0; i < times; i += 1) await postKey(service.url, remote.serverName);
      return remote.hits() - before;
    };
    expect(await ask(1)).toBe(1);
    expect(await health(remote)).toMatchObject({
      failCount: 1,
      nextTryTs: 0n,
      lastErrorReason: 'http_status',
    });
    expect(await ask(10)).toBe(2);
    const waits: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      const waitMs = Number((await health(remote)).nextTryTs) - service.clock.now();
      waits.push(waitMs / 1000);
      service.clock.advance(waitMs - 1);
      expect(await ask(1)).toBe(0);
      service.clock.advance(1);
      expect(await ask(3)).toBe(1);
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600]);
    remote.publish({ validUntilTs: service.clock.now() + HOUR_MS });
    service.clock.advance(600_000);
    expect((await postKey(service.url, remote.serverName)).records).toHaveLength(1);
    expect(await health(remote)).toMatchObject({ failCount: 0, nextTryTs: 0n, lastErrorReason: null });
  });

  it('get the back-off over a restart', async () => {
    const failing = await startRemote();
    failing.origin.respond = respondStatus(500);
    for (let i = 0; i < 3; i += 1) await postKey(service.url, failing.serverName);
    const hits = failing.hits();
    service = await service.restart();
    await postKey(service.url, failing.serverName);
    expect(failing.hits()).toBe(hits);
  });

  it('with one dead server among twenty get the twenty by the deadline; what comes late is stored', async () => {
    const good = await Promise.all(Array.from({ length: 20 }, startRemote));
    const slow = await startRemote();
    const answerLate = slow.origin.respond;
    slow.origin.respond = (request, response) => {
      void until(() => released).then(() => answerLate(request, response));
    };
    let released = false;
    const names = [slow, ...good].map((remote) => remote.serverName);
    const startedMs = performance.now();
    const answer = await postKeys(service.url, {
      server_keys: Object.fromEntries(names.map((name) => [name, { [K1]: {} }])),
    });
    expect(answer.records).toHaveLength(20);
    expect(performance.now() - startedMs).toBeLessThan(8000);
    released = true;
    await until(async () => (await outcomes(slow)).length === 1);
    const late = await postKey(service.url, slow.serverName);
    expect([late.records.length, slow.hits()]).toEqual([1, 1]);
  });

  it('keep the fetch going when the client goes away', async () => {
    const remote = await startRemote();
    const answerLate = remote.origin.respond;
    let answer = (): void => {};
    remote.origin.respond = (request, response) => {
      answer = () => answerLate(request, response);
    };
    const body = JSON.stringify({ server_keys: { [remote.serverName]: { [K1]: {} } } });
    const head = `POST /_svc/key/v2/query HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`;
    const connection = openRaw(service.url, head + body);
    await until(() => remote.hits() === 1);
    connection.socket.resetAndDestroy();
    await connection.closed;
    answer();
    await until(async () => (await outcomes(remote)).length === 1);
    expect(await outcomes(remote)).toEqual(['ok']);
  });

  it('that are under way when the service stops end in time', async () => {
    const remote = await startRemote();
    remote.origin.respond = respondNever;
    const asked = postKey(service.url, remote.serverName);
    await until(() => remote.hits() === 1);
    const startedMs = performance.now();
    service = await service.restart();
    expect((await asked).text).toBe('{"server_keys":[]}');
    // The fetch itself would take ten seconds.
    expect(performance.now() - startedMs).toBeLessThan(8000);
    expect(await outcomes(remote)).toEqual(['failed']);
  });
});
