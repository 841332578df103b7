import { afterAll, beforeAll, expect, it } from 'vitest';

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
