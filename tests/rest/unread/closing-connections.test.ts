import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { TLSSocket, connect, createSecureContext } from 'node:tls';

import { expect, it } from 'vitest';

import { ReachedBounds, type ClientBound } from '../../../src/core/base/limits/reached-bounds.js';
import { LingeringConnections } from '../../../src/rest/bounds/lingering-connections.js';
import { StalledWriters } from '../../../src/rest/bounds/stalled-writers.js';
import { ManualClock } from '../../support/manual-clock.js';
import { createSelfSigned } from '../../support/origins/test-ca.js';

const STALL_MS = 60_000;

/** A network that takes nothing more from the service once it is `full`, as when its client reads nothing. */
function makeNetwork(): { client: Duplex; service: Duplex; fill: () => void } {
  let isFull = false;
  const ends: Duplex[] = [0, 1].map(
    (side) =>
      new Duplex({
        read: () => undefined,
        write(chunk: Buffer, _encoding, taken) {
          if (isFull && side === 1) return;
          ends[1 - side]?.push(chunk);
          taken();
        },
      }),
  );
  const [client, service] = ends as [Duplex, Duplex];
  return { client, service, fill: () => void (isFull = true) };
}

it('a TLS connection whose client does not even take its end is cut off after a minute', async () => {
  const certificate = await createSelfSigned(['notary.test']);
  const network = makeNetwork();
  const clock = new ManualClock();
  const bounds = new ReachedBounds<ClientBound>({ clock, log: () => undefined });
  const stalled = new StalledWriters(clock, bounds);
  const served = new TLSSocket(network.service, {
    isServer: true,
    secureContext: createSecureContext(certificate),
  });
  const client = connect({ socket: network.client, rejectUnauthorized: false });
  client.on('error', () => undefined);
  await once(client, 'secureConnect');
  stalled.watch(served);

  network.fill();
  new LingeringConnections().close(served);
  stalled.look();
  clock.advance(STALL_MS - 1);
  stalled.look();
  expect(served.destroyed).toBe(false);
  clock.advance(1);
  stalled.look();

  expect(served.destroyed).toBe(true);
  client.destroy();
});
