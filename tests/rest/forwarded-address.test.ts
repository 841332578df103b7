import { afterAll, beforeAll, expect, it } from 'vitest';

import { openRaw } from '../support/clients/raw-http.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  const listeners = [{ port: 0, bind_addresses: ['127.0.0.1'], resources: ['health'], x_forwarded: true }];
  service = await startTestService({ settings: { listeners } });
});
afterAll(() => service.remove());

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['junk, 2001:db8::7', '2001:db8::7'],
  ['192.0.2.7, secret or anything else', '127.0.0.1'],
  ['x'.repeat(5000), '127.0.0.1'],
])('X-Forwarded-For counts only as an address: %.40s', async (header, client) => {
  const response = await fetch(`${service.url}/nowhere`, { headers: { 'x-forwarded-for': header } });
  const id = response.headers.get('x-request-id');
  await expect.poll(() => service.logs.find((line) => line['request_id'] === id)?.['client']).toBe(client);
});

it('an IPv6 network has the lines of one client', async () => {
  const line = (at: number) =>
    `GET /nowhere HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 2001:db8:1::${at.toString(16)}\r\n\r\n`;
  const before = service.logs.length;
  for (let sent = 0; sent < 1200; sent += 50) {
    const connection = openRaw(service.url, Array.from({ length: 50 }, (_, at) => line(sent + at)).join(''));
    for (let at = 0; at < 50; at += 1) await connection.answer();
    connection.socket.destroy();
  }
  expect(service.logs.length - before).toBeLessThan(1010);
});
