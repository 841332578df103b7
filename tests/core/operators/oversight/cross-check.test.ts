import http from 'node:http';

import { afterEach, describe, expect, it } from 'vitest';

import { ADVICE } from '../../../../src/core/operators/diagnosis/advice.js';
import { encodeBase64 } from '../../../../src/core/notary/signing/base64.js';
import { HOUR_MS, MINUTE_MS } from '../../../../src/core/base/clock.js';
import { postKey } from '../../../support/clients/notary-client.js';
import { listenOnFreshPort } from '../../../support/fresh-port.js';
import { makeTestKey } from '../../../support/origins/key-record-maker.js';
import {
  createTestAuthority,
  startRemoteServer,
  type TestAuthority,
} from '../../../support/origins/remote-server.js';
import { startWebhookReceiver } from '../../../support/origins/webhook-receiver.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { testEngines } from '../../../support/store/databases.js';

const clean: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of clean.splice(0).toReversed()) await undo();
});

/** A second Vidimus, as the notary that is asked. */
async function startNotary(authority: TestAuthority): Promise<TestService> {
  const notary = await startTestService({
    caPaths: [authority.caPath],
    settings: { server_name: 'other.test' },
  });
  clean.push(() => notary.remove());
  return notary;
}

function notaryRule(notary: TestService) {
  const { active } = notary.context.services.signing.signingKeys;
  const keys = Object.fromEntries(active.map(({ keyId, publicKey }) => [keyId, encodeBase64(publicKey)]));
  return { server_name: 'other.test', url: notary.url, keys, allow_private: true };
}

const send = ({ context }: TestService) => context.services.oversight.send();
/** Results in the events of a server. */
async function resultsOf({ context }: TestService, serverName: string) {
  const where = { serverName, kind: { startsWith: 'cross_check_' } };
  const rows = await context.parts.database.client.keyEvent.findMany({ where, orderBy: { seq: 'asc' } });
  return rows.map(({ kind, severity, detail }) => [kind, severity, (detail as { notary: string }).notary]);
}

async function world(engine: ReturnType<typeof testEngines>[number]) {
  const authority = await createTestAuthority();
  clean.push(() => authority.remove());
  const remote = async (key = makeTestKey('k1')) => {
    const server = await startRemoteServer(authority, {
      keys: [key],
      validUntilTs: 1_800_000_000_000 + 24 * HOUR_MS,
    });
    clean.push(() => server.origin.close());
    return server;
  };
  const service = async (rule: object, more: object = {}) => {
    const started = await startTestService({
      engine,
      caPaths: [authority.caPath],
      settings: { cross_check: [rule], ...more },
    });
    clean.push(() => started.remove());
    return started;
  };
  return { authority, remote, service };
}

describe.each(testEngines())('a cross-check, on %s', (engine) => {
  it('with a notary that gets the same keys is an event that says so', async () => {
    const { authority, remote, service } = await world(engine);
    const ours = await service(notaryRule(await startNotary(authority)));
    const server = await remote();
    await postKey(ours.url, server.serverName);
    await send(ours);
    expect(await resultsOf(ours, server.serverName)).toEqual([['cross_check_same', 'info', 'other.test']]);

    server.publish({ keys: [makeTestKey('k2')] });
    await ours.context.services.keys.refresher.refreshNow(server.serverName);
    await send(ours);
    expect(await resultsOf(ours, server.serverName)).toHaveLength(2);
  });

  it('with a notary that has another key under the ID is an alarm, and is told', async () => {
    const { authority, remote, service } = await world(engine);
    const ops = await startWebhookReceiver();
    clean.push(() => ops.close());
    const notary = await startNotary(authority);
    const hook = {
      name: 'ops',
      url: ops.url,
      secret: 'sixteen characters',
      tells: ['alarms'],
      allow_private: true,
    };
    const ours = await service(notaryRule(notary), { alerts: { webhooks: [hook] } });
    const server = await remote();
    await postKey(notary.url, server.serverName);
    // From now on the server shows us another key than it showed the notary.
    const back = server.publish({});
    server.publish({ keys: [makeTestKey('k1')] });
    await postKey(ours.url, server.serverName);
    server.origin.respond = (_request, response) => void response.writeHead(200).end(back);
    await send(ours);
    await send(ours);
    expect(await resultsOf(ours, server.serverName)).toEqual([
      ['cross_check_differing', 'alert', 'other.test'],
    ]);
    const { client } = ours.context.parts.database;
    const row = await client.remoteServer.findUniqueOrThrow({ where: { serverName: server.serverName } });
    expect(row.alarmSeq).not.toBeNull();
    expect(ops.received.map(({ json }) => json.kind)).toEqual(['cross_check_differing']);
    server.publish({ keys: [makeTestKey('k1')] });
    const { steps } = await ours.context.services.operators.keys.diagnose({
      serverName: server.serverName,
      keyId: null,
    });
    const step = steps.find(({ name }) => name === 'cross-check');
    expect(step).toMatchObject({ status: 'failed', advice: ADVICE.cross_check_differing });
  });

  it('with a notary that cannot find our key is asked again, and is an alarm in the end', async () => {
    const { authority, remote, service } = await world(engine);
    const notary = await startNotary(authority);
    const ours = await service(notaryRule(notary));
    const server = await remote();
    await postKey(notary.url, server.serverName);
    const back = server.publish({});
    server.publish({ keys: [makeTestKey('evil')] });
    await postKey(ours.url, server.serverName, 'ed25519:evil');
    server.origin.respond = (_request, response) => void response.writeHead(200).end(back);
    await send(ours);
    expect(await resultsOf(ours, server.serverName)).toEqual([]);
    ours.clock.advance(11 * MINUTE_MS);
    await send(ours);
    expect(await resultsOf(ours, server.serverName)).toEqual([
      ['cross_check_differing', 'alert', 'other.test'],
    ]);
  });

  it.each([
    ['is away', (response: http.ServerResponse) => void response.socket?.destroy()],
    ['answers with errors', (response: http.ServerResponse) => void response.writeHead(500).end()],
    [
      'answers nonsense',
      (response: http.ServerResponse) => void response.writeHead(200).end('{"server_keys":1}'),
    ],
    [
      'knows nothing',
      (response: http.ServerResponse) => void response.writeHead(200).end('{"server_keys":[]}'),
    ],
  ])('with a notary that %s is silence, and holds up no answer', async (_what, respond) => {
    const { remote, service } = await world(engine);
    let asked = 0;
    const dead = http.createServer((_request, response) => {
      asked += 1;
      respond(response);
    });
    const port = await listenOnFreshPort(dead, '127.0.0.1');
    clean.push(async () => {
      dead.close();
      dead.closeAllConnections();
    });
    const rule = {
      server_name: 'other.test',
      url: `http://127.0.0.1:${port}`,
      keys: keysOf(),
      allow_private: true,
    };
    const ours = await service(rule);
    const server = await remote();
    expect((await postKey(ours.url, server.serverName)).records).toHaveLength(1);
    await send(ours);
    const first = asked;
    await send(ours);
    expect(asked).toBe(first);
    expect(await resultsOf(ours, server.serverName)).toEqual([]);
    ours.clock.advance(11 * MINUTE_MS);
    await send(ours);
    expect(await resultsOf(ours, server.serverName)).toEqual([
      ['cross_check_silent', 'warning', 'other.test'],
    ]);
  });

  it('does not believe a notary whose signature is not by a configured key', async () => {
    const { authority, remote, service } = await world(engine);
    const rule = { ...notaryRule(await startNotary(authority)), keys: keysOf() };
    const ours = await service(rule);
    const server = await remote();
    await postKey(ours.url, server.serverName);
    ours.clock.advance(11 * MINUTE_MS);
    await send(ours);
    expect(await resultsOf(ours, server.serverName)).toEqual([
      ['cross_check_silent', 'warning', 'other.test'],
    ]);
  });

  it('leaves a notary alone that is away, however many servers appear', async () => {
    const { remote, service } = await world(engine);
    let asked = 0;
    const dead = http.createServer((_request, response) => {
      asked += 1;
      response.writeHead(503).end();
    });
    const port = await listenOnFreshPort(dead, '127.0.0.1');
    clean.push(async () => {
      dead.close();
    });
    const rule = {
      server_name: 'other.test',
      url: `http://127.0.0.1:${port}`,
      keys: keysOf(),
      allow_private: true,
    };
    const ours = await service(rule);
    await postKey(ours.url, (await remote()).serverName);
    await send(ours);
    expect(asked).toBe(1);
    for (let count = 0; count < 3; count += 1) await postKey(ours.url, (await remote()).serverName);
    await send(ours);
    expect(asked).toBe(1);
  });
});

function keysOf() {
  const { keyId, publicKey } = makeTestKey('n1');
  return { [keyId]: publicKey };
}
