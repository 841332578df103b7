import { gzipSync } from 'node:zlib';

import { afterEach, describe, expect, it } from 'vitest';

import { testEngines } from '../../support/store/databases.js';
import {
  respondCut,
  respondJson,
  respondNever,
  respondRaw,
  respondRedirect,
  respondSlowly,
  respondStatus,
} from '../../support/origins/key-origin.js';
import { makeKeyRecord } from '../../support/origins/key-record-maker.js';
import { postKey, postKeys } from '../../support/clients/notary-client.js';
import {
  K1,
  K2,
  copies,
  listed,
  listedAndSigning,
  made,
  oneSpoiledSignature,
  respondWith,
  rewritten,
  spoiled,
  utf16Signed,
  type Recipe,
} from '../../support/origins/record-recipes.js';
import { startRemoteServer, type RemoteServer } from '../../support/origins/remote-server.js';
import { setNotary } from '../../support/world.js';

const VALID_UNTIL_TS = 1_800_003_600_000;
const EMPTY = '{"server_keys":[]}';

const NAMES: [string, string, Recipe][] = [
  ['another server name', 'record_name_mismatch', made({ serverName: 'victim.example' })],
  ['another name with a NUL', 'record_name_mismatch', made({ serverName: 'a\u0000b' })],
  ['no server name', 'record_name_mismatch', spoiled((r) => delete r['server_name'])],
];

const SIGNATURES: [string, string, Recipe][] = [
  ['no signatures', 'record_no_signature', spoiled((r) => delete r['signatures'])],
  ['a list of signatures', 'record_no_signature', spoiled((r) => (r['signatures'] = []))],
  [
    'signatures of others only',
    'record_no_signature',
    spoiled((r) => (r['signatures'] = { 'x.example': { [K1.keyId]: 'AA' } })),
  ],
  ['the signature of an unlisted key only', 'record_no_signature', made({ signWith: [K2] })],
  [
    'the signature of an old key only',
    'record_no_signature',
    made({ oldKeys: [{ key: K2, expiredTs: 5 }], signWith: [K2] }),
  ],
  [
    'a signature of something else',
    'record_bad_signature',
    spoiled((r) => (r['valid_until_ts'] = VALID_UNTIL_TS + 1)),
  ],
  [
    'a signature that is not Base64',
    'record_bad_signature',
    spoiled((r) => (r['signatures'] = { [String(r['server_name'])]: { [K1.keyId]: '!!' } })),
  ],
  ['good, then bad signature', 'record_bad_signature', oneSpoiledSignature([K1, K2], K2)],
  ['bad, then good signature', 'record_bad_signature', oneSpoiledSignature([K2, K1], K2)],
  ['good behind bad, the other way', 'record_bad_signature', oneSpoiledSignature([K1, K2], K1)],
  ['1,000 signatures', 'record_too_many_keys', listedAndSigning(...copies(999))],
  ['100 signatures', 'record_too_many_signatures', listedAndSigning(...copies(99))],
  ['members signed in UTF-16 order', 'record_bad_signature', utf16Signed],
];

const SHAPES: [string, string, Recipe][] = [
  ['no validity', 'record_bad_validity', spoiled((r) => delete r['valid_until_ts'])],
  ['a validity in quotes', 'record_bad_validity', rewritten(`:${VALID_UNTIL_TS}`, `:"${VALID_UNTIL_TS}"`)],
  ['a validity with a fraction', 'json_float', rewritten(`:${VALID_UNTIL_TS}`, `:${VALID_UNTIL_TS}.0`)],
  ['a validity with an exponent', 'json_float', rewritten(`:${VALID_UNTIL_TS}`, ':18e11')],
  ['a negative validity', 'record_bad_validity', made({ validUntilTs: -1 })],
  ['no verify_keys', 'record_bad_shape', spoiled((r) => delete r['verify_keys'])],
  ['a list of verify_keys', 'record_bad_shape', spoiled((r) => (r['verify_keys'] = []))],
  ['old_verify_keys null', 'record_bad_shape', spoiled((r) => (r['old_verify_keys'] = null))],
  ['a key of 31 bytes', 'record_bad_key', listed(['ed25519:x', K1.publicKey.slice(0, 42)])],
  ['a key that is not Base64', 'record_bad_key', listed(['ed25519:x', `${K1.publicKey.slice(0, 42)}!`])],
  ['a small-order key', 'record_weak_key', listed(['ed25519:x', `AQ${'A'.repeat(41)}`])],
  ['a non-canonical key', 'record_weak_key', listed(['ed25519:x', `7/${'/'.repeat(39)}38`])],
  ['a key id with a NUL', 'record_bad_key_id', listed(['ed25519:\u0000', K1.publicKey])],
  ['1,001 keys', 'record_too_many_keys', listed(...copies(1000))],
  ['a member twice', 'json_duplicate_member', rewritten('"verify_keys":', '"verify_keys":{},"verify_keys":')],
  [
    'a member twice, once with an escape',
    'json_duplicate_member',
    rewritten('"verify_keys":', '"verify\\u005fkeys":{},"verify_keys":'),
  ],
  ['a lone surrogate', 'json_lone_surrogate', rewritten('{', '{"a":"\\ud800",')],
  ['10,000 levels', 'json_depth', rewritten('{', `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)},`)],
  ['a byte order mark', 'json_syntax', (base) => `\ufeff${makeKeyRecord(base).toString()}`],
  ['no JSON', 'json_syntax', () => 'hello'],
  ['a list', 'record_not_object', () => '[]'],
];

const ANSWERS: [string, string, Recipe][] = [
  ['100,000 keys', 'too_large', listed(...copies(100_000))],
  ['a body of 300 KB', 'too_large', made({ extra: { pad: 'x'.repeat(300_000) } })],
  [
    'a gzip body',
    'http_encoding',
    (base) => respondJson(gzipSync(makeKeyRecord(base)), { 'Content-Encoding': 'gzip' }),
  ],
  [
    'a good record with status 404',
    'http_status',
    (base) => (_request, response) => response.writeHead(404).end(makeKeyRecord(base)),
  ],
  ['status 500', 'http_status', () => respondStatus(500)],
  ['status 204', 'http_status', () => respondStatus(204)],
  ['a redirect', 'http_redirect', () => respondRedirect('/elsewhere')],
  [
    'a redirect that carries a good record',
    'http_redirect',
    (base) => (_request, response) =>
      response.writeHead(301, { Location: '/_svc/key/v2/server' }).end(makeKeyRecord(base)),
  ],
  ['half a body', 'body_cut', () => respondCut],
  ['a slow drip', 'timeout_body', () => respondSlowly],
  ['silence', 'timeout_headers', () => respondNever],
  ['no HTTP', 'bad_http', () => respondRaw('hello\r\n\r\n')],
  [
    'a length and chunks',
    'bad_http',
    () =>
      respondRaw(
        'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
      ),
  ],
];

describe.each(testEngines())('a record is refused and nothing of it stored, on %s:', (engine) => {
  const { authority, service } = setNotary({
    engine,
    settings: { federation: { key_fetch_timeout: '2s' } },
  });
  let remote: RemoteServer;

  afterEach(() => remote.origin.close());

  it.each([...NAMES, ...SIGNATURES, ...SHAPES, ...ANSWERS])('%s: %s', async (_what, reason, recipe) => {
    remote = await startRemoteServer(authority, { keys: [K1], validUntilTs: VALID_UNTIL_TS });
    const { serverName } = remote;
    remote.origin.respond = respondWith(recipe, { serverName, keys: [K1], validUntilTs: VALID_UNTIL_TS });

    const answer = await postKey(service.url, serverName);

    expect([answer.status, answer.text, remote.hits()]).toEqual([200, EMPTY, 1]);
    const { client } = service.context.parts.database;
    expect([await client.keyRecord.count(), await client.verifyKey.count()]).toEqual([0, 0]);
    const fetched = await client.keyFetch.findFirst({ where: { serverName }, orderBy: { id: 'desc' } });
    expect(fetched).toMatchObject({ outcome: 'failed', reason });
    const both = await postKeys(service.url, { server_keys: { [serverName]: {}, 'victim.example': {} } });
    expect(both.text).toBe(EMPTY);
  });
});
