import { createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openApiText } from '../../../scripts/docs/openapi-text.js';
import { sampleImage } from '../../core/preview/media/sample-images.js';
import { checkpointOf } from '../../support/clients/log-client.js';
import { AdminClient } from '../../support/clients/admin-client.js';
import { postKey } from '../../support/clients/notary-client.js';
import { K1 } from '../../support/origins/record-recipes.js';
import { page } from '../../support/origins/remote-site.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
  type TestAuthority,
} from '../../support/origins/remote-server.js';
import { MadeLog, OTHER_LOG_KEY } from '../../support/store/test-witness.js';
import { sourcesBelow, readText } from '../../docs/repository-files.js';
import { makeUiFolder } from '../operators/admin-kit.js';
import { startPreviewKit, tagged, type PreviewKit } from '../clients/preview/preview-kit.js';
import {
  DOCUMENT,
  differences,
  errorDifferences,
  faults,
  operationOf,
  operations,
  type DocumentedOperation,
} from './document-check.js';

const RESOURCES = ['keys', 'log', 'witness', 'previews', 'media', 'health', 'metrics', 'admin'];
const LOG = new MadeLog(20);

/** A request by the parts that the document names: of the path, of the query, the rest. */
interface Sample {
  path?: Record<string, string>;
  query?: Record<string, string>;
  init?: RequestInit;
}

let authority: TestAuthority;
let remote: RemoteServer;
let ui: Awaited<ReturnType<typeof makeUiFolder>>;
let kit: PreviewKit;
let admin: AdminClient;
let mediaId: string;

beforeAll(async () => {
  authority = await createTestAuthority();
  ui = await makeUiFolder();
  kit = await startPreviewKit({
    caPaths: [authority.caPath],
    uiFolder: ui.path,
    settings: {
      listeners: [{ port: 0, bind_addresses: ['127.0.0.1'], resources: RESOURCES }],
      admin: { graphql: { ad_hoc: 'always' } },
      witness: { logs: [{ verifier_key: OTHER_LOG_KEY.verifierKey }], request_rate: { burst: 100 } },
    },
  });
  const validUntilTs = kit.service.clock.now() + 36_000_000;
  remote = await startRemoteServer(authority, { keys: [K1], validUntilTs });
  await postKey(kit.service.url, remote.serverName);
  await checkpointOf(kit.service.url, 1);
  admin = await AdminClient.signIn(kit.service, 'admin');
  kit.serve('/view.jpg', page(await sampleImage(400, 300).jpeg().toBuffer(), { type: 'image/jpeg' }));
  kit.serve('/page', tagged({ 'og:title': 'A title', 'og:image': '/view.jpg' }));
  const { body } = await kit.preview('/page');
  mediaId = String(body['og:image']).split('/').at(-1)!;
});
afterAll(async () => {
  await kit.remove();
  await remote.origin.close();
  await authority.remove();
  await ui.remove();
});

const bearer = (): RequestInit => ({ headers: { Authorization: `Bearer ${kit.token}` } });
const signedIn = (): RequestInit => ({ headers: admin.headers });
const post = (body: string | Buffer, headers: Record<string, string> = {}): Sample => ({
  init: { method: 'POST', body: Buffer.from(body), headers },
});
const json = (body: unknown, headers: Record<string, string> = {}): Sample =>
  post(JSON.stringify(body), { 'content-type': 'application/json', ...headers });

/** Without the folder in its id: all folders are asked alike. */
const plainId = ({ operationId }: DocumentedOperation) => operationId.split('_', 1)[0]!;

function mediaSamples(query: Record<string, string> = {}, path: Record<string, string> = {}): Sample[] {
  const ours = { serverName: 'notary.test', mediaId, ...path };
  const headers = { Authorization: `Bearer ${kit.token}` };
  return [
    { path: ours, query, init: bearer() },
    { path: ours, query, init: { headers: { ...headers, Range: 'bytes=0-9' } } },
    { path: ours, query, init: { headers: { ...headers, 'If-None-Match': '*' } } },
    { path: ours, query, init: { headers: { ...headers, 'If-Match': '"other"' } } },
    { path: ours, query, init: { headers: { ...headers, Range: 'bytes=9999999-' } } },
    { path: ours, query },
    { path: { ...ours, mediaId: 'absent' }, query, init: bearer() },
  ];
}

/** Requests for every operation; together they get every answer that is no error. */
async function samples(): Promise<Record<string, Sample[]>> {
  const server = remote.serverName;
  const sha256 = 'a'.repeat(64);
  const { code } = await kit.service.context.access.codes.create('viewer');
  const url = (path: string, more = {}): Sample => ({
    query: { url: kit.url(path), ...more },
    init: bearer(),
  });
  return {
    getPreview: [
      url('/page'),
      url('/page', { ts: '5' }),
      url('/page', { ts: 'x' }),
      url('/absent'),
      { query: {} },
    ],
    downloadMedia: mediaSamples(),
    downloadMediaAs: mediaSamples({}, { fileName: 'a.jpg' }),
    getThumbnail: [
      ...mediaSamples({ width: '32', height: '32' }),
      ...mediaSamples({ width: '0', height: '32', method: 'crop' }),
      ...mediaSamples({ width: '32', height: '32', method: 'fill' }),
      ...mediaSamples({ width: '32' }),
    ],
    queryKeys: [
      json({ server_keys: { [server]: {} } }),
      json({ server_keys: { [server]: { [K1.keyId]: { minimum_valid_until_ts: 0 } } } }),
      json({ server_keys: [] }),
      json({}),
      post('{'),
      post('{}', { 'Content-Encoding': 'gzip' }),
    ],
    queryServer: [
      { path: { serverName: server } },
      { path: { serverName: 'nobody.test' } },
      { path: { serverName: '%ff' } },
    ],
    queryKey: [
      { path: { serverName: server, keyId: K1.keyId } },
      { path: { serverName: server, keyId: 'x' }, query: { minimum_valid_until_ts: '1.5' } },
    ],
    getOwnKeys: [{}],
    getOwnKey: [{ path: { keyId: 'ed25519:any' } }],
    getCheckpoint: [{}],
    getWitnessedCheckpoint: [{}],
    getTile: [
      { path: { place: '0/000.p/1' } },
      { path: { place: 'entries/000.p/1' } },
      { path: { place: '9/x' } },
    ],
    getLoggedRecord: [
      { path: { sha256: await loggedRecord() } },
      { path: { sha256 } },
      { path: { sha256: 'x' } },
    ],
    proveRecord: [{ path: { sha256: await loggedRecord() } }, { path: { sha256 } }],
    proveKey: [
      { path: { serverName: server, keyId: K1.keyId } },
      { path: { serverName: server, keyId: 'x' } },
    ],
    addCheckpoint: [
      post(await LOG.offer(0, 10)),
      post(await LOG.offer(0, 20)),
      post('x'),
      post(await LOG.offer(10, 10)),
    ],
    getCosignedCheckpoint: [{ path: { originSha256: sha256 } }, { path: { originSha256: knownOrigin() } }],
    getLiveness: [{}],
    getReadiness: [{}],
    getMetrics: [{}],
    getSession: [{}, { init: signedIn() }, { init: { headers: { 'Sec-Fetch-Site': 'cross-site' } } }],
    signIn: [
      json({ code }, { 'Sec-Fetch-Site': 'same-origin' }),
      json({ code: 'wrong' }, { 'Sec-Fetch-Site': 'same-origin' }),
      json({ code }, { 'Sec-Fetch-Site': 'cross-site' }),
      json({ pin: 1 }, { 'Sec-Fetch-Site': 'same-origin' }),
      post('{', { 'Sec-Fetch-Site': 'same-origin' }),
    ],
    signOut: [{ init: { method: 'DELETE', headers: { 'Sec-Fetch-Site': 'same-origin' } } }],
    runOperation: [
      json({ query: '{ viewer { name } }' }, admin.headers),
      json({ query: '{ nothing }' }, admin.headers),
      json({ query: '{' }, admin.headers),
      json({ query: '{ __typename }' }),
      json({}, admin.headers),
      post('{', admin.headers),
    ],
    getStoredMedia: [
      { path: { mediaId }, init: signedIn() },
      { path: { mediaId }, init: { headers: { ...admin.headers, 'If-None-Match': '*' } } },
      { path: { mediaId } },
      { path: { mediaId: 'absent' }, init: signedIn() },
    ],
    getStoredThumbnail: [
      { path: { mediaId, size: '32x32-crop' }, init: signedIn() },
      {
        path: { mediaId, size: '32x32-crop' },
        init: { headers: { ...admin.headers, 'If-None-Match': '*' } },
      },
      { path: { mediaId, size: '0x0' }, init: signedIn() },
    ],
    exportAudit: [
      { init: signedIn() },
      { query: { format: 'jsonl' }, init: signedIn() },
      { query: { format: 'xml' }, init: signedIn() },
      { query: { after: 'x' }, init: signedIn() },
      {},
    ],
    exportKeyHistory: [
      { query: { server }, init: signedIn() },
      { query: { server: 'nobody.test' }, init: signedIn() },
      { init: signedIn() },
      { query: { server } },
    ],
    getPage: [{ path: { page: '' } }, { path: { page: 'keys/some' } }, { path: { page: 'assets/none.js' } }],
    getRoot: [{}],
  };
}

/** SHA-256 of the first record in the log. */
async function loggedRecord(): Promise<string> {
  const bundle = await fetch(`${kit.service.url}/_svc/vidimus/v1/log/tile/entries/000.p/1`);
  const entry = JSON.parse((await bundle.text()).slice(2)) as { record_sha256: string };
  return entry.record_sha256;
}

function knownOrigin(): string {
  return createHash('sha256').update(OTHER_LOG_KEY.name).digest('hex');
}

function baseOf(tag: string, path: string): string {
  if (tag !== 'Operators') return tag === 'Service' ? '' : '/_svc';
  return path === '/' ? '' : '/admin';
}

function send(operation: DocumentedOperation, path: string, sample: Sample): Promise<Response> {
  const [tag = ''] = operation['tags'] as string[];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => sample.path?.[name] ?? 'a'.repeat(64));
  const query = new URLSearchParams(sample.query ?? {}).toString();
  const target = `${baseOf(tag, path)}${filled}${query === '' ? '' : `?${query}`}`;
  return fetch(`${kit.service.url}${target}`, { redirect: 'manual', ...sample.init });
}

it('is committed as the routes have it (npm run docs)', () => {
  expect(readText('docs/openapi.json')).toBe(openApiText());
});

it('gives every operation a name of its own', () => {
  const ids = operations().map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

it('has every route: none is served that does not stand in the table', () => {
  const others = sourcesBelow('src/rest', 'src/server')
    .filter((name) => name !== 'src/rest/api/serve-route.ts')
    .filter((name) =>
      /\b(?:router|mounted|app)\.(?:get|post|put|patch|delete|options|all|route)\(/.test(readText(name)),
    );
  expect(others).toEqual([]);
});

describe('of the running server', () => {
  it('every path answers, and every answer is one that the document has', async () => {
    const bySample = await samples();
    const found: string[] = [];
    const seen = new Set<string>();
    for (const { path, operation } of operations()) {
      const wanted = bySample[plainId(operation)] ?? [];
      if (wanted.length === 0) found.push(`${operation.operationId} has no sample`);
      for (const sample of wanted) {
        const answer = await send(operation, path, sample);
        seen.add(`${plainId(operation)} ${answer.status}`);
        if (answer.headers.get('error-reason') === 'unrecognized') found.push(`${path} is not served`);
        for (const fault of await differences(operation, answer))
          found.push(`${path} ${answer.status}: ${fault}`);
      }
    }
    expect(found).toEqual([]);
    // The quorum of witnesses, and a database that is away, have tests of their own.
    const promised = operations()
      .filter(({ operation }) => !['getWitnessedCheckpoint'].includes(operation.operationId))
      .flatMap(({ operation }) =>
        Object.keys(operation.responses)
          .filter((status) => Number(status) < 400)
          .map((status) => `${plainId(operation)} ${status}`),
      );
    expect([...new Set(promised)].filter((each) => !seen.has(each))).toEqual([]);
  });

  it.each(['/nowhere', '/_svc/key/v2/other', '/_svc/media/v3/other'])(
    '%s is an error of the document',
    async (path) => {
      const answer = await fetch(`${kit.service.url}${path}`);
      expect(answer.status).toBe(404);
      expect(await errorDifferences(answer)).toEqual([]);
    },
  );

  it('another method than those of a path is 405 with those that it has', async () => {
    const found: string[] = [];
    for (const { path, operation } of operations()) {
      const answer = await send(operation, path, {
        init: { method: 'PATCH', headers: { 'Sec-Fetch-Site': 'same-origin' } },
      });
      const methods = Object.keys(DOCUMENT.paths[path]!);
      const allowed = answer.headers.get('allow')?.toLowerCase().split(', ') ?? [];
      const missing = ['get', 'post', 'delete'].filter(
        (each) => methods.includes(each) !== allowed.includes(each),
      );
      // Paths that fit into one another share their methods.
      if (answer.status !== 405 || (missing.length > 0 && path !== '/key/v2/query'))
        found.push(`${path}: ${answer.status} ${missing.join()}`);
    }
    expect(found).toEqual([]);
  });

  const VALUES = [
    '',
    '0',
    '1',
    '-1',
    '007',
    '999999999',
    '1000000000',
    '1.5',
    '1e3',
    ' 1',
    'scale',
    'crop',
    'csv',
    'jsonl',
    'CSV',
  ];
  it.each([
    ['getPreview', 'ts'],
    ['getThumbnail', 'width'],
    ['getThumbnail', 'height'],
    ['getThumbnail', 'method'],
    ['queryKey', 'minimum_valid_until_ts'],
    ['exportAudit', 'format'],
  ])('%s takes for %s what the document says, and nothing else', async (id, name) => {
    const { path, operation } = operations().find((each) => each.operation.operationId === id)!;
    const { schema } = operation.parameters.find((each) => each.name === name)!;
    const usual = { url: kit.url('/page'), width: '32', height: '32' };
    const init = id === 'exportAudit' ? signedIn() : bearer();
    const ours = {
      serverName: id === 'queryKey' ? remote.serverName : 'notary.test',
      mediaId,
      keyId: K1.keyId,
    };
    const taken: string[] = [];
    for (const value of VALUES) {
      const answer = await send(operation, path, { path: ours, query: { ...usual, [name]: value }, init });
      if (answer.status !== 400) taken.push(value);
    }
    const isNumber = schema['type'] === 'integer';
    const valid = VALUES.filter((value) =>
      isNumber ? /^-?\d+$/.test(value) && faults(schema, Number(value)) === '' : faults(schema, value) === '',
    );
    expect(taken).toEqual(valid);
    expect([valid.length > 0, valid.length < VALUES.length]).toEqual([true, true]);
  });

  it.each([
    [{ server_keys: {} }],
    [{ server_keys: { a: {} } }],
    [{ server_keys: { a: { 'ed25519:x': {} } } }],
    [{ server_keys: { a: { 'ed25519:x': { minimum_valid_until_ts: null } } } }],
    [{ server_keys: { a: { 'ed25519:x': { minimum_valid_until_ts: 1 } } }, more: 1 }],
    [{ server_keys: { a: { 'ed25519:x': { minimum_valid_until_ts: 1.5 } } } }],
    [{ server_keys: { a: { 'ed25519:x': { minimum_valid_until_ts: '1' } } } }],
    [{ server_keys: { a: { 'ed25519:x': 1 } } }],
    [{ server_keys: { a: [] } }],
    [{ server_keys: [] }],
    [{}],
    [[]],
    [{ server_keys: { a: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`ed25519:${n}`, {}])) } }],
    [{ server_keys: Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`s${n}.invalid`, {}])) }],
  ])('a key query is read exactly when the document lets it pass (%#)', async (body) => {
    const operation = operationOf('queryKeys');
    const { schema } = operation.requestBody!.content['application/json']!;
    const text = JSON.stringify(body).replaceAll('"a"', '"notary.test"');
    const { status } = await fetch(`${kit.service.url}/_svc/key/v2/query`, { method: 'POST', body: text });
    expect(status === 200).toBe(faults(schema, body) === '');
  });
});
