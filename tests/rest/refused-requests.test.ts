import { describe, expect, it } from 'vitest';

import { healthLine } from '../support/health-line.js';
import { openRaw, sendRaw } from '../support/clients/raw-http.js';
import { postKeys } from '../support/clients/notary-client.js';
import { FROM_PAGE, postSession, startAdminService } from './operators/admin-kit.js';
import { setUp } from '../support/set-up.js';

const many = (count: number, prefix: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, {}]));

describe('a bound that requests reach, on default settings', () => {
  const service = setUp(startAdminService);

  const post = async (path: string, body: string) =>
    (await fetch(`${service.url}${path}`, { method: 'POST', headers: FROM_PAGE, body })).status;
  const QUERY = '/_svc/key/v2/query';

  /** Queries in the deprecated form, pipelined. */
  const askDeprecated = async (times: number) => {
    const pipelined = `GET ${QUERY}/-/ed25519:a HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(50);
    for (let sent = 0; sent < times; sent += 50) {
      const connection = openRaw(service.url, pipelined);
      for (let at = 0; at < 50; at += 1) await connection.answer();
      connection.socket.destroy();
    }
  };

  it('is told by nothing before', async () => {
    expect(await healthLine(service, 'limits')).toMatchObject({
      state: 'ok',
      message: 'No limit was reached in the last hour.',
    });
  });

  it.each<[string, string, number, () => Promise<number>]>([
    [
      'head',
      'heads above 16 KiB',
      431,
      async () =>
        (await sendRaw(service.url, `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`)).status,
    ],
    ['body', 'bodies above 1 MiB', 413, () => post(QUERY, ' '.repeat(1024 * 1024 + 1))],
    [
      'servers',
      'servers of a key query',
      413,
      async () => (await postKeys(service.url, { server_keys: many(1001, 'a.example:') })).status,
    ],
    [
      'sign_in',
      'tries to sign in',
      429,
      async () => {
        const guesses = Array.from({ length: 6 }, async () =>
          postSession(service, { code: 'AAAA-BBBB-CCCC' }),
        );
        return Math.max(...(await Promise.all(guesses)).map(({ status }) => status));
      },
    ],
    [
      'request_lines',
      'log lines',
      404,
      async () => {
        const before = service.logs.length;
        await askDeprecated(1300);
        // Warnings and lines of requests, and what is told of the bound.
        expect(service.logs.length - before).toBeLessThan(2010);
        return (await fetch(`${service.url}/nowhere`)).status;
      },
    ],
  ])('%s is a metric, a line of the log and of health', async (bound, name, status, reach) => {
    expect(await reach()).toBe(status);

    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(new RegExp(`^vidimus_client_bound_total\\{bound="${bound}"\\} [1-9]`, 'm'));
    expect(service.logs).toContainEqual(expect.objectContaining({ level: 'warn', bound }));
    expect(await healthLine(service, 'limits')).toMatchObject({
      state: 'ok',
      message: expect.stringContaining(name) as string,
    });
  });

  it('each use of the deprecated form is warned of, beside the lines of requests', async () => {
    const told = (start: string) => service.logs.filter(({ msg }) => msg?.startsWith(start) === true);
    const { length: before } = told('deprecated key query');
    service.clock.advance(10_000);
    await askDeprecated(950);
    expect(told('deprecated key query').length - before).toBe(950);
    await askDeprecated(350);
    service.clock.advance(10_000);
    await askDeprecated(50);
    expect(told('deprecated key query').length - before).toBe(1050);
  });
});
