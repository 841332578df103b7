import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { healthLine } from '../../support/health-line.js';
import { postKeys } from '../../support/clients/notary-client.js';
import { startRemoteServer, type RemoteServer } from '../../support/origins/remote-server.js';
import { PATIENCE_MS } from '../../support/patience.js';
import { setNotary } from '../../support/world.js';

/** With 240 kB each. */
const SERVERS = 72;
const HALF = SERVERS / 2;

describe('an answer above 16 MiB', () => {
  const { authority, service } = setNotary();
  let remotes: RemoteServer[];

  beforeAll(async () => {
    const record = { validUntilTs: service.clock.now() + 3_600_000, extra: { padding: 'x'.repeat(240_000) } };
    remotes = await Promise.all(Array.from({ length: SERVERS }, () => startRemoteServer(authority, record)));
  });

  afterAll(() => Promise.all(remotes.map(({ origin }) => origin.close())));

  it('is refused with 413, while each part of it is answered', async () => {
    const ask = (servers: readonly RemoteServer[]) =>
      postKeys(service.url, {
        server_keys: Object.fromEntries(servers.map(({ serverName }) => [serverName, { 'ed25519:k1': {} }])),
      });

    // A busy machine fetches them in several queries.
    await expect.poll(async () => (await ask(remotes)).status, { timeout: PATIENCE_MS }).toBe(413);
    const parts = await Promise.all([ask(remotes.slice(0, HALF)), ask(remotes.slice(HALF))]);
    const cached = await ask(remotes);

    expect(cached.status).toBe(413);
    expect(JSON.parse(cached.text)).toEqual({
      errcode: 'M_TOO_LARGE',
      error: 'The answer would be larger than 16777216 bytes; request fewer servers at a time',
    });
    expect(await healthLine(service, 'limits')).toMatchObject({
      message: expect.stringContaining('key answers above 16 MiB') as string,
    });
    expect(parts.map(({ records }) => records.length)).toEqual([HALF, HALF]);
  });
});
