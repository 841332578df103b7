import { beforeAll, expect, it } from 'vitest';

import { postKeys } from '../../support/clients/notary-client.js';
import { makeTestKey } from '../../support/origins/key-record-maker.js';
import type { RemoteServer } from '../../support/origins/remote-server.js';
import { longestTurnMs } from '../../support/turns.js';
import { setKeyServers } from './key-servers.js';

/** What one address gets at once, and once these have answered. */
const FIRST = 8;
const AT_ONCE = 16;
const TIMES = 4;
/** As many as are checked, of a record nearly as long as it may be. */
const KEYS = Array.from({ length: 32 }, (_, at) => makeTestKey(`k${at + 1}`));
const FILLER = 'x'.repeat(240_000);

const servers = setKeyServers();
const remotes: RemoteServer[] = [];

beforeAll(async () => {
  for (let at = 0; at < FIRST + 1 + AT_ONCE; at += 1)
    remotes.push(await servers.add({ keys: KEYS, extra: { FILLER } }));
});

/** Asks for servers that all answer at the same moment. */
async function ask(asked: readonly RemoteServer[]): Promise<number> {
  let waiting: (() => void)[] = [];
  for (const { origin } of asked) {
    const { respond } = origin;
    origin.respond = (request, response) => {
      waiting.push(() => respond(request, response));
      if (waiting.length < asked.length) return;
      for (const go of waiting) go();
      waiting = [];
    };
  }
  const names = Object.fromEntries(asked.map(({ serverName }) => [serverName, { 'ed25519:k1': {} }]));
  return longestTurnMs(async () => {
    const answered = async () => (await postKeys(servers.service.url, { server_keys: names })).records.length;
    // On a busy machine some come too late for the first question.
    await expect.poll(answered).toBe(asked.length);
  });
}

it('large records that come at the same moment hold the event loop no longer than one', async () => {
  await ask(remotes.slice(0, FIRST));
  const one = await ask(remotes.slice(FIRST, FIRST + 1));

  expect(await ask(remotes.slice(FIRST + 1))).toBeLessThan(TIMES * one);
});
