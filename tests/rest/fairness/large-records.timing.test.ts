import { afterAll, beforeAll, expect, it } from 'vitest';

import { DAY_MS } from '../../../src/core/base/clock.js';
import { postKeys } from '../../support/clients/notary-client.js';
import { makeTestKey } from '../../support/origins/key-record-maker.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
  type TestAuthority,
} from '../../support/origins/remote-server.js';
import { startTestService, type TestService } from '../../support/service.js';
import { longestTurnMs } from '../../support/turns.js';

/** What one address gets at once, and once these have answered. */
const FIRST = 8;
const AT_ONCE = 16;
const TIMES = 4;
/** As many as are checked, of a record nearly as long as it may be. */
const KEYS = Array.from({ length: 32 }, (_, at) => makeTestKey(`k${at + 1}`));
const FILLER = 'x'.repeat(240_000);

let authority: TestAuthority;
let service: TestService;
const remotes: RemoteServer[] = [];

beforeAll(async () => {
  authority = await createTestAuthority();
  service = await startTestService({ caPaths: [authority.caPath] });
  const validUntilTs = service.clock.now() + DAY_MS;
  for (let at = 0; at < FIRST + 1 + AT_ONCE; at += 1)
    remotes.push(await startRemoteServer(authority, { validUntilTs, keys: KEYS, extra: { FILLER } }));
});
afterAll(async () => {
  await service.remove();
  await Promise.all(remotes.map(({ origin }) => origin.close()));
  await authority.remove();
});

/** Asks for servers that all answer at the same moment. */
async function ask(servers: readonly RemoteServer[]): Promise<number> {
  let waiting: (() => void)[] = [];
  for (const { origin } of servers) {
    const { respond } = origin;
    origin.respond = (request, response) => {
      waiting.push(() => respond(request, response));
      if (waiting.length < servers.length) return;
      for (const go of waiting) go();
      waiting = [];
    };
  }
  const asked = Object.fromEntries(servers.map(({ serverName }) => [serverName, { 'ed25519:k1': {} }]));
  return longestTurnMs(async () => {
    const answered = async () => (await postKeys(service.url, { server_keys: asked })).records.length;
    // On a busy machine some come too late for the first question.
    await expect.poll(answered, { timeout: 30_000 }).toBe(servers.length);
  });
}

it('large records that come at the same moment hold the event loop no longer than one', async () => {
  await ask(remotes.slice(0, FIRST));
  const one = await ask(remotes.slice(FIRST, FIRST + 1));

  expect(await ask(remotes.slice(FIRST + 1))).toBeLessThan(TIMES * one);
}, 120_000);
