import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { getKeys, postKeys } from '../../support/clients/notary-client.js';
import { startRemoteServer, type RemoteServer } from '../../support/origins/remote-server.js';
import { setNotary } from '../../support/world.js';

const EMPTY = '{"server_keys":[]}';
const MIB = 1024 * 1024;
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const servers = (count: number, keys = '{}') =>
  `{"server_keys":{${Array.from({ length: count }, (_, i) => `"s${i}.example":${keys}`).join(',')}}}`;
const keyIds = (count: number) =>
  `{${Array.from({ length: count }, (_, i) => `"ed25519:${i}":{}`).join(',')}}`;

describe('the body of a POST query (SPEC §4.3)', () => {
  const { authority, service } = setNotary({
    settings: { federation_domain_whitelist: [] },
  });
  let remote: RemoteServer;

  beforeAll(async () => {
    remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + 3_600_000 });
  });
  afterAll(() => remote.origin.close());

  const refused = async (body: string | Buffer, headers: Record<string, string> = {}) => {
    const url = `${service.url}/_svc/key/v2/query`;
    const answer = await fetch(url, { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) });
    const { errcode, error } = (await answer.json()) as Record<string, unknown>;
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(typeof error).toBe('string');
    return [answer.status, errcode];
  };

  it.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['a trailing comma', '{"server_keys":{},}'],
    ['10,000 levels of nesting', nested(10_000)],
    ['a member twice', '{"server_keys":{},"server_keys":{}}'],
    ['a lone high surrogate', '{"server_keys":{"\\ud800":{}}}'],
    ['a raw control character', '{"server_keys":{"a\u0001":{}}}'],
  ])('with %s is not JSON: 400 M_NOT_JSON', async (_what, body) => {
    expect(await refused(body)).toEqual([400, 'M_NOT_JSON']);
  });

  it.each([
    ['bytes that are not UTF-8', Buffer.from('{"server_keys":{"\xe9":{}}}', 'latin1')],
    ['surrogates as UTF-8', Buffer.from('7b22eda080223a317d', 'hex')],
  ])('with %s is not JSON: 400 M_NOT_JSON', async (_what, body) => {
    expect(await refused(body)).toEqual([400, 'M_NOT_JSON']);
  });

  it.each(['[]', 'null', '"x"', '1', 'true'])('%s is not an object: 400 M_BAD_JSON', async (body) => {
    expect(await refused(body)).toEqual([400, 'M_BAD_JSON']);
  });

  it.each(['{}', '{"Server_keys":{}}', '{"__proto__":{"server_keys":{}}}', '{"constructor":{}}'])(
    '%s has no server_keys: 400 M_MISSING_PARAM',
    async (body) => {
      expect(await refused(body)).toEqual([400, 'M_MISSING_PARAM']);
    },
  );

  it.each([
    '{"server_keys":[]}',
    '{"server_keys":null}',
    '{"server_keys":"a"}',
    '{"server_keys":{"a":[]}}',
    '{"server_keys":{"a":null}}',
    '{"server_keys":{"a":"b"}}',
    '{"server_keys":{"a":{"b":null}}}',
    '{"server_keys":{"a":{"b":[]}}}',
    '{"server_keys":{"a":{"b":5}}}',
    '{"server_keys":{"__proto__":[]}}',
    '{"server_keys":{"__proto__":{"__proto__":[]}}}',
  ])('%s is of the wrong type: 400 M_BAD_JSON', async (body) => {
    expect(await refused(body)).toEqual([400, 'M_BAD_JSON']);
  });

  it.each([
    '"5"',
    '"1"',
    '""',
    '5.0',
    '1.0',
    '1.5',
    '1e3',
    '1E0',
    '1e400',
    'true',
    'false',
    '{}',
    '[]',
    '[5]',
  ])('with the minimum %s is refused: no strict integer (SPEC §2.2)', async (minimum) => {
    const body = `{"server_keys":{"a.example":{"ed25519:a":{"minimum_valid_until_ts":${minimum}}}}}`;
    expect(await refused(body)).toEqual([400, 'M_BAD_JSON']);
  });

  it.each(['-0.0', '01', '+1', '1.', '.5', '0x10', '1_000'])(
    'with the minimum %s is refused',
    async (minimum) => {
      const body = `{"server_keys":{"a.example":{"ed25519:a":{"minimum_valid_until_ts":${minimum}}}}}`;
      expect((await refused(body))[0]).toBe(400);
    },
  );

  it.each([
    '{}',
    '{"minimum_valid_until_ts":null}',
    '{"minimum_valid_until_ts":0}',
    '{"minimum_valid_until_ts":-0}',
    '{"minimum_valid_until_ts":-5}',
    `{"minimum_valid_until_ts":${2n ** 70n}}`,
    `{"minimum_valid_until_ts":-${2n ** 70n}}`,
    '{"minimum_valid_until_ts":5,"x":1}',
    '{"x":1.5,"y":[{"z":1e3}]}',
    '{"__proto__":{"minimum_valid_until_ts":"5"}}',
    '{"constructor":1,"toString":null}',
  ])('with the criteria %s is accepted (SPEC §2.2)', async (criteria) => {
    const answer = await postKeys(service.url, `{"server_keys":{"a.example":{"ed25519:a":${criteria}}}}`);
    expect([answer.status, answer.text]).toEqual([200, EMPTY]);
  });

  it.each([
    '{"server_keys":{}}',
    '{"server_keys":{"":{}}}',
    '{"server_keys":{"__proto__":{"__proto__":{"__proto__":1}}}}',
    '{"server_keys":{"constructor":{"prototype":{}},"toString":{},"hasOwnProperty":{}}}',
    '{"server_keys":{"a/b":{"x":{}},"a b":{},"\\u0000":{"\\u0000":{}}}}',
    '{"server_keys":{"\\ud83d\\udd11":{}}}',
    '{"server_keys":{},"more":[1.5,{"a":null}],"x":true}',
    ' {"server_keys" : { } } \r\n\t',
  ])('%s is answered with an empty list', async (body) => {
    const answer = await postKeys(service.url, body);
    expect([answer.status, answer.text]).toEqual([200, EMPTY]);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'nonsense',
  ])('is read whatever its Content-Type says: %s', async (type) => {
    const answer = await fetch(`${service.url}/_svc/key/v2/query`, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: '{"server_keys":{}}',
    });
    expect([answer.status, await answer.text()]).toEqual([200, EMPTY]);
  });

  it.each(['gzip', 'deflate', 'br', 'x-unknown', 'gzip, identity'])(
    'is refused with 415 when its Content-Encoding is %s',
    async (encoding) => {
      const body = gzipSync('{"server_keys":{}}');
      expect(await refused(body, { 'Content-Encoding': encoding })).toEqual([415, 'M_UNKNOWN']);
    },
  );

  it('may have 300 KB, and 1 MiB exactly, and not a byte more', async () => {
    const padded = (bytes: number) => '{"server_keys":{}}'.padEnd(bytes);
    expect((await postKeys(service.url, padded(300_000))).text).toBe(EMPTY);
    expect((await postKeys(service.url, padded(MIB))).text).toBe(EMPTY);
    expect(await refused(padded(MIB + 1))).toEqual([413, 'M_TOO_LARGE']);
  });

  it('may name 1,000 servers of 100 key ids each, and not one more; the message says so', async () => {
    expect((await postKeys(service.url, servers(1000))).text).toBe(EMPTY);
    const tooMany = await postKeys(service.url, servers(1001));
    expect([tooMany.status, JSON.parse(tooMany.text)]).toEqual([
      413,
      {
        errcode: 'M_TOO_LARGE',
        error: "'server_keys' names 1001 servers, at most 1000 are allowed",
      },
    ]);
    expect((await postKeys(service.url, servers(1, keyIds(100)))).text).toBe(EMPTY);
    const tooManyIds = await postKeys(service.url, servers(1, keyIds(101)));
    expect([tooManyIds.status, JSON.parse(tooManyIds.text)]).toEqual([
      413,
      {
        errcode: 'M_TOO_LARGE',
        error: "'server_keys.s0.example' names 101 key ids, at most 100 are allowed",
      },
    ]);
  });

  it.each([
    ['as peers write it', ''],
    ['with a blank', ' '],
  ])('may name 5,000 key ids in all, and not one more: %s', async (_how, blank) => {
    expect((await postKeys(service.url, servers(50, keyIds(100)) + blank)).text).toBe(EMPTY);
    const tooMany = await postKeys(service.url, servers(51, keyIds(99)) + blank);
    expect([tooMany.status, JSON.parse(tooMany.text)]).toEqual([
      413,
      { errcode: 'M_TOO_LARGE', error: "'server_keys' names more than 5000 key ids" },
    ]);
  });

  it('may have 12,002 values, and not one more', async () => {
    const body = (count: number) => `{"server_keys":{},"x":[${'1,'.repeat(count - 4)}1]}`;
    expect((await postKeys(service.url, body(12_002))).text).toBe(EMPTY);
    expect(await refused(body(12_003))).toEqual([413, 'M_TOO_LARGE']);
  });

  it.each(['abc', '', '1.5', '1e3', '1.0', '%205', '5%20', '0x10', '--1', '9'.repeat(401), '%D9%A3'])(
    'has a sibling in the path: the minimum %j there is refused (SPEC §4.2)',
    async (minimum) => {
      const answer = await getKeys(service.url, `query/a.example/b?minimum_valid_until_ts=${minimum}`);
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.text)).toEqual({
        errcode: 'M_INVALID_PARAM',
        error: "Query parameter 'minimum_valid_until_ts' must be an integer",
      });
    },
  );

  it.each(['5', '-5', '-0', '007', '9'.repeat(40), '5&minimum_valid_until_ts=abc', '5&x=%zz'])(
    'has a sibling in the path: the minimum %j there is accepted (SPEC §4.2)',
    async (minimum) => {
      const answer = await getKeys(service.url, `query/a.example/b?minimum_valid_until_ts=${minimum}`);
      expect([answer.status, answer.text]).toEqual([200, EMPTY]);
    },
  );
});
