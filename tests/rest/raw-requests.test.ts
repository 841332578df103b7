import { describe, expect, it } from 'vitest';

import { healthLine } from '../support/health-line.js';
import { openRaw, sendRaw } from '../support/clients/raw-http.js';
import { setService } from '../support/world.js';

const QUERY = '/_svc/key/v2/query';
const HEAD = `POST ${QUERY} HTTP/1.1\r\nHost: x\r\n`;
const MIB = 1024 * 1024;

describe('requests that no client library sends', () => {
  const service = setService({
    settings: { federation_domain_whitelist: [], server: { request_timeout: '1s' } },
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['a bare line feed in a header', `GET ${QUERY}/a HTTP/1.1\nHost: x\n\n`, 400],
    ['no Host', `GET ${QUERY}/a HTTP/1.1\r\n\r\n`, 400],
    ['two Hosts', `GET ${QUERY}/a HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n`, 400],
    ['two lengths', `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400],
    ['a length and chunks', `${HEAD}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    ['a spoiled chunk size', `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n`, 400],
    ['a folded header', `GET ${QUERY}/a HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n`, 400],
    ['a head of 64 KiB', `GET ${QUERY}/${'a'.repeat(65_536)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['an expectation', `${HEAD}Expect: a-miracle\r\nContent-Length: 2\r\n\r\n{}`, 417],
    ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n', 405],
  ])('are answered in JSON: %s', async (_what, text, status) => {
    const answer = await sendRaw(service.url, text);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{12}$/);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('cache-control')).toBe('no-cache, no-store, must-revalidate');
    expect(JSON.parse(answer.body)).toEqual({ errcode: expect.any(String), error: expect.any(String) });
  });

  it('may name the whole address, as to a proxy (RFC 9112, 3.2.2)', async () => {
    const text = `GET http://notary.test${QUERY}/a.example HTTP/1.1\r\nHost: x\r\n\r\n`;
    expect(await sendRaw(service.url, text)).toMatchObject({ status: 200, body: '{"server_keys":[]}' });
  });

  it('may hold a header that some versions of Node stumble over', async () => {
    const text = `GET ${QUERY}/a.example HTTP/1.1\r\nHost: x\r\n__proto__: x\r\nconstructor: x\r\n\r\n`;
    expect(await sendRaw(service.url, text)).toMatchObject({ status: 200, body: '{"server_keys":[]}' });
  });

  it('are closed after an answer to broken HTTP, even when the client keeps its side open', async () => {
    const connection = openRaw(service.url, 'hello\r\n\r\n');
    connection.socket.allowHalfOpen = true;
    await connection.answer();
    await connection.closed;
    // Only a connection that is gone on the other side breaks when it is written to.
    const broken = new Promise((resolve) => connection.socket.once('error', resolve));
    const writer = setInterval(() => connection.socket.write('x'), 50);
    expect(await broken).toMatchObject({ code: expect.stringMatching(/^(EPIPE|ECONNRESET)$/) });
    clearInterval(writer);
  });

  it('get 413 for a length over the limit before the body is sent', async () => {
    const answer = await sendRaw(service.url, `${HEAD}Content-Length: ${MIB + 1}\r\n\r\n`);
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([413, { errcode: 'M_TOO_LARGE' }]);
  });

  it('get 413 for chunks over the limit while they still send, and may go on afterwards', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const connection = openRaw(service.url, `${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(32)}`);
    const answer = await connection.answer();
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([413, { errcode: 'M_TOO_LARGE' }]);
    connection.socket.write(`${chunk.repeat(8)}0\r\n\r\nGET ${QUERY}/a HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect((await connection.answer()).status).toBe(200);
    connection.socket.destroy();
  });

  it('get 408 when head, body, chunks or the rest of a refused body do not come in time', async () => {
    const refused = `${HEAD}Content-Length: ${2 * MIB}\r\n\r\n{`;
    const slow = [
      `POST ${QUERY} HTTP/1.1\r\nHost:`,
      `${HEAD}Content-Length: 20\r\n\r\n{"server`,
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"ser\r\n`,
      refused,
    ];
    await Promise.all(
      slow.map(async (text) => {
        const connection = openRaw(service.url, text);
        const early = text === refused ? [(await connection.answer()).status] : [];
        const answer = await connection.answer();
        expect(early).toEqual(text === refused ? [413] : []);
        expect([answer.status, JSON.parse(answer.body)]).toMatchObject([408, { errcode: 'M_UNKNOWN' }]);
        await connection.closed;
        connection.socket.destroy();
      }),
    );
    expect(await healthLine(service, 'limits')).toMatchObject({
      state: 'ok',
      message: expect.stringContaining('server.request_timeout') as string,
    });
  });
});
