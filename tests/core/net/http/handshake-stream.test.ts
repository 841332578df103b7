import net, { type AddressInfo } from 'node:net';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { Deadline } from '../../../../src/core/base/deadline.js';
import { createTrust, secureConnection } from '../../../../src/core/net/http/secure-connect.js';

/** Fatal, unrecognized_name (RFC 8446 §6). */
const ALERT = Buffer.from([21, 3, 3, 0, 2, 2, 112]);
/** Whose work comes first, each with as many bytes as are done in a turn. */
const OTHERS = 500;
const BYTES_PER_TURN = 12 * 1024;

let server: net.Server;
let peer: net.Socket;

beforeEach(async () => {
  server = net.createServer((socket) => {
    peer = socket;
    peer.on('error', () => {});
    peer.once('data', () => peer.write(ALERT.subarray(0, 3)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
});

it('an alert is read whose turn comes after the peer has closed', async () => {
  const trust = createTrust({ ca: [] });
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  let isOver = false;
  for (let other = 0; other < OTHERS; other += 1) {
    const work = (): void => {
      if (!isOver) trust.handshakes.run({ client: String(other), bytes: BYTES_PER_TURN }, work);
    };
    work();
  }
  // The rest and the end are there before the first part has had its turn.
  socket.once('data', () => peer.end(ALERT.subarray(3)));

  const deadline = new Deadline(30_000);
  const connecting = secureConnection(socket, { trust, tlsName: 'peer.test', deadline });
  await expect(connecting).rejects.toMatchObject({
    reason: 'tls_failure',
    detail: expect.stringContaining('unrecognized name') as string,
  });
  isOver = true;
  deadline.close();
});
