import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { getKeys, postKey, postKeys } from '../../support/clients/notary-client.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
  type TestAuthority,
} from '../../support/origins/remote-server.js';
import { OWN_NAME, startTestService, type TestService } from '../../support/service.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const K1 = 'ed25519:k1';
const VALID_MS = 20 * MINUTE_MS;

describe('a question in the same bytes as before', () => {
  let authority: TestAuthority;
  let service: TestService;
  const remotes: RemoteServer[] = [];
  let tests = 0;

  beforeAll(async () => {
    authority = await createTestAuthority();
    service = await startTestService({
      caPaths: [authority.caPath],
      settings: { keys: { cache_lifetime: '30m' }, federation: { throttle: { burst: 1 } } },
    });
  });
  beforeEach(() => {
    tests += 1;
  });
  afterEach(async () => {
    await Promise.all(remotes.splice(0).map((remote) => remote.origin.close()));
  });
  afterAll(async () => {
    await service.remove();
    await authority.remove();
  });

  const started = async (validMs = VALID_MS) => {
    const remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + validMs });
    remotes.push(remote);
    return remote;
  };
  /**
   * Long enough to be remembered. Unlike any question of another test in every sample of its padding: of two ports,
   * one in 300 pairs differs in digits that are not sampled, and only the question kept first is remembered then.
   */
  const questionAbout = (servers: Record<string, unknown>) =>
    JSON.stringify({ server_keys: servers, padding: String.fromCharCode(0x40 + tests).repeat(1024) });
  const ask = async (requestBody: string) => (await postKeys(service.url, requestBody)).text;
  /** Whether it would be answered from memory just now. */
  const isRemembered = (requestBody: string | Buffer) =>
    service.context.services.signing.notary.queryAgain(Buffer.from(requestBody)) !== null;
  /** Asks until only a change can keep it from being answered from memory. */
  const remembered = async (requestBody: string) => {
    for (let time = 0; time < 3; time += 1) await ask(requestBody);
    expect(isRemembered(requestBody)).toBe(true);
    return ask(requestBody);
  };
  const metric = async (line: string) => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return Number(
      text
        .split('\n')
        .find((each) => each.startsWith(line))
        ?.split(' ')
        .at(-1) ?? 0,
    );
  };

  it('is answered alike from memory, and counted alike', async () => {
    const [one, two] = [await started(), await started()];
    const requestBody = questionAbout({ [one.serverName]: {}, [two.serverName]: { [K1]: {} } });
    await postKey(service.url, one.serverName);
    const first = await ask(requestBody);
    const counts = () =>
      Promise.all([
        metric('vidimus_key_queries_total{form="batch"}'),
        metric('vidimus_key_lookups_total{result="fresh"}'),
      ]);
    const answer = await remembered(requestBody);
    const [queries, fresh] = await counts();
    expect(await ask(requestBody)).toBe(answer);
    expect(await counts()).toEqual([queries + 1, fresh + 2]);
    expect([answer, one.hits(), two.hits()]).toEqual([first, 1, 1]);
  });

  it('is another one with any byte changed', async () => {
    const remote = await started();
    const requestBody = questionAbout({ [remote.serverName]: { [K1]: {} } });
    const answer = await remembered(requestBody);
    for (let at = 0; at < requestBody.length; at += 1) {
      const other = Buffer.from(requestBody);
      other[at] = (other[at] ?? 0) ^ 1;
      expect(isRemembered(other), `byte ${at}`).toBe(false);
    }
    expect(await ask(requestBody)).toBe(answer);
  });

  it('stays remembered beside others that differ in one byte, however often those come', async () => {
    const remote = await started();
    const requestBody = questionAbout({ [remote.serverName]: { [K1]: {} } });
    await remembered(requestBody);
    const others = Array.from(
      { length: 50 },
      (_, at) => `${requestBody.slice(0, -10 - at)}y${requestBody.slice(-9 - at)}`,
    );
    for (const other of others) {
      expect(other).toHaveLength(requestBody.length);
      for (let time = 0; time < 3; time += 1) await ask(other);
      expect(isRemembered(requestBody)).toBe(true);
    }
  });

  it('is answered with a record that was stored since', async () => {
    const remote = await started();
    const requestBody = questionAbout({ [remote.serverName]: { [K1]: {} } });
    const before = await remembered(requestBody);
    const validUntilTs = service.clock.now() + 2 * VALID_MS;
    remote.publish({ validUntilTs });
    await postKey(service.url, remote.serverName, K1, { minimum_valid_until_ts: validUntilTs });
    expect(isRemembered(requestBody)).toBe(false);
    const after = await ask(requestBody);
    expect([after === before, after.includes(String(validUntilTs))]).toEqual([false, true]);
  });

  it('brings a fetch once the record is past half of its life', async () => {
    const remote = await started();
    const requestBody = questionAbout({ [remote.serverName]: { [K1]: {} } });
    await remembered(requestBody);
    service.clock.advance(VALID_MS / 2);
    expect(isRemembered(requestBody)).toBe(true);
    service.clock.advance(1);
    remote.publish({ validUntilTs: service.clock.now() + VALID_MS });
    expect(isRemembered(requestBody)).toBe(false);
    await ask(requestBody);
    expect(remote.hits()).toBe(2);
  });

  it('with a minimum that is met brings none, however old the record is', async () => {
    const remote = await started();
    const minimum = service.clock.now() + VALID_MS;
    const requestBody = questionAbout({ [remote.serverName]: { [K1]: { minimum_valid_until_ts: minimum } } });
    await remembered(requestBody);
    service.clock.advance(VALID_MS - 1);
    expect(isRemembered(requestBody)).toBe(true);
    expect(remote.hits()).toBe(1);
  });

  it('goes to the store once what is cached is past its time', async () => {
    const remote = await started(1000 * MINUTE_MS);
    const requestBody = questionAbout({ [remote.serverName]: { [K1]: {} } });
    await remembered(requestBody);
    service.clock.advance(30 * MINUTE_MS);
    expect(isRemembered(requestBody)).toBe(true);
    service.clock.advance(1);
    expect(isRemembered(requestBody)).toBe(false);
  });

  it('is worked out anew after the clock was set back', async () => {
    const remote = await started();
    const requestBody = questionAbout({ [remote.serverName]: { [K1]: {} } });
    await remembered(requestBody);
    service.clock.advance(-1);
    expect(isRemembered(requestBody)).toBe(false);
    service.clock.advance(1);
  });

  it('is never remembered while a key is unknown, so that it may bring a fetch again', async () => {
    const remote = await started();
    const requestBody = questionAbout({ [remote.serverName]: { [K1]: {}, 'ed25519:unknown': {} } });
    for (let time = 0; time < 3; time += 1) await ask(requestBody);
    expect([isRemembered(requestBody), remote.hits()]).toEqual([false, 2]);
    service.clock.advance(10 * SECOND_MS);
    await ask(requestBody);
    expect(remote.hits()).toBe(3);
  });

  it('is never remembered with a minimum that is not met, a server that is not known, or our own name', async () => {
    const remote = await started();
    const known = { [remote.serverName]: { [K1]: {} } };
    await remembered(questionAbout(known));
    for (const servers of [
      { [remote.serverName]: { [K1]: { minimum_valid_until_ts: 9e15 } } },
      { ...known, 'a b': {} },
      { ...known, 'unknown.example': {} },
      { ...known, [OWN_NAME]: {} },
    ]) {
      const requestBody = questionAbout(servers);
      for (let time = 0; time < 3; time += 1) await ask(requestBody);
      expect(isRemembered(requestBody)).toBe(false);
    }
  });

  it('is not remembered when it was asked once only, or is short', async () => {
    const remote = await started();
    await postKey(service.url, remote.serverName);
    const long = questionAbout({ [remote.serverName]: {} });
    await ask(long);
    expect(isRemembered(long)).toBe(false);
    const short = JSON.stringify({ server_keys: { [remote.serverName]: {} } });
    for (let time = 0; time < 3; time += 1) await ask(short);
    expect(isRemembered(short)).toBe(false);
    expect((await getKeys(service.url, `query/${remote.serverName}`)).status).toBe(200);
  });

  it('is not answered from memory after the cache was emptied or let the server go', async () => {
    const [one, two] = [await started(), await started()];
    const requestBody = questionAbout({ [one.serverName]: {}, [two.serverName]: { [K1]: {} } });
    await postKey(service.url, one.serverName);
    await remembered(requestBody);
    service.context.services.keys.cache.invalidate(one.serverName);
    expect(isRemembered(requestBody)).toBe(false);
    await remembered(requestBody);
    service.context.services.keys.cache.clear();
    expect(isRemembered(requestBody)).toBe(false);
  });
});
