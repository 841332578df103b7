import { createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { openApiText } from '../../../scripts/docs/openapi-text.js';
import { AppContext } from '../../../src/composition/context.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { LogKey } from '../../../src/core/notary/log/notes/log-key.js';
import { Service } from '../../../src/server/service.js';
import { sampleImage } from '../../core/preview/media/sample-images.js';
import { checkpointOf } from '../../support/clients/log-client.js';
import { AdminClient } from '../../support/clients/admin-client.js';
import { postKey } from '../../support/clients/notary-client.js';
import { createToken } from '../../support/clients/preview-client.js';
import { sendRaw } from '../../support/clients/raw-http.js';
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
import { UNSEEN } from './unseen-answers.js';

const RESOURCES = ['keys', 'log', 'witness', 'previews', 'media', 'health', 'metrics', 'admin'];
const LOG = new MadeLog(20);
const FORKED = new MadeLog(20, OTHER_LOG_KEY, { face: 'other' });
const UNKNOWN_LOG = new MadeLog(20, new LogKey('log.test/unknown', Buffer.alloc(32, 13)));
/** Of the known name, with a key that nobody knows. */
const FALSE_LOG = new MadeLog(20, new LogKey(OTHER_LOG_KEY.name, Buffer.alloc(32, 14)));
const WITNESS_BURST = 100;
const PREVIEW_BURST = 30;
const TOO_LARGE = Buffer.alloc(1024 * 1024 + 1, ' ');
const GZIP = { 'Content-Encoding': 'gzip' };
const CROSS_SITE = { 'Sec-Fetch-Site': 'cross-site' };

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
      witness: {
        logs: [{ verifier_key: OTHER_LOG_KEY.verifierKey }],
        request_rate: { burst: WITNESS_BURST },
      },
      previews: { rate_limit: { burst: PREVIEW_BURST, interval: '1h' } },
    },
  });
  const validUntilTs = kit.service.clock.now() + 36_000_000;
  remote = await startRemoteServer(authority, { keys: [K1], validUntilTs });
  await postKey(kit.service.url, remote.serverName);
  await checkpointOf(kit.service.url, 1);
  admin = await AdminClient.signIn(kit.service, 'admin');
  kit.serve('/view.jpg', page(await sampleImage(400, 300).jpeg().toBuffer(), { type: 'image/jpeg' }));
  kit.serve('/page', tagged({ 'og:title': 'A title', 'og:image': '/view.jpg' }));
  kit.serve('/hangs-up', (request) => void request.socket.destroy());
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
    { path: { ...ours, mediaId: '%ff' }, query, init: bearer() },
  ];
}

/** Conditions and ranges, another site, nobody. */
function storedMedia(path: Record<string, string>): Sample[] {
  const asked = (headers: Record<string, string>): Sample => ({
    path,
    init: { headers: { ...admin.headers, ...headers } },
  });
  return [
    asked({ 'If-None-Match': '*' }),
    asked({ 'If-Match': '"other"' }),
    asked({ Range: 'bytes=9999999-' }),
    asked(CROSS_SITE),
    { path },
  ];
}

/** Requests for every operation; together they get every answer but those of `UNSEEN` and of `rawFor` and `beyond`. */
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
      url('/hangs-up'),
      { query: {} },
      { query: { url: 'http://10.0.0.1/' }, init: bearer() },
      { query: { url: 'ftp://a/' }, init: bearer() },
      { query: { url: kit.url('/page') } },
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
      post('{}', GZIP),
      post(TOO_LARGE),
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
      post(await FORKED.offer(10, 10)),
      post(await UNKNOWN_LOG.offer(0, 10)),
      post(await FALSE_LOG.offer(0, 10)),
      post('x', GZIP),
      post(TOO_LARGE),
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
      json({}, { 'Sec-Fetch-Site': 'same-origin', ...GZIP }),
      json(TOO_LARGE.toString(), { 'Sec-Fetch-Site': 'same-origin' }),
    ],
    signOut: [
      { init: { method: 'DELETE', headers: { 'Sec-Fetch-Site': 'same-origin' } } },
      { init: { method: 'DELETE', headers: CROSS_SITE } },
    ],
    runOperation: [
      json({ query: '{ viewer { name } }' }, admin.headers),
      json({ query: '{ nothing }' }, admin.headers),
      json({ query: '{' }, admin.headers),
      json({ query: '{ __typename }' }),
      json({}, admin.headers),
      post('{', admin.headers),
      post('{', { ...admin.headers, ...CROSS_SITE }),
      post('{}', { ...admin.headers, ...GZIP }),
      post(TOO_LARGE, admin.headers),
    ],
    getStoredMedia: [
      { path: { mediaId }, init: signedIn() },
      ...storedMedia({ mediaId }),
      { path: { mediaId: 'absent' }, init: signedIn() },
    ],
    getStoredThumbnail: [
      { path: { mediaId, size: '32x32-crop' }, init: signedIn() },
      ...storedMedia({ mediaId, size: '32x32-crop' }),
      { path: { mediaId, size: '0x0' }, init: signedIn() },
    ],
    exportAudit: [
      { init: signedIn() },
      { query: { format: 'jsonl' }, init: signedIn() },
      { query: { format: 'xml' }, init: signedIn() },
      { query: { after: 'x' }, init: signedIn() },
      { init: { headers: { ...admin.headers, ...CROSS_SITE } } },
      {},
    ],
    exportKeyHistory: [
      { query: { server }, init: signedIn() },
      { query: { server: 'nobody.test' }, init: signedIn() },
      { init: signedIn() },
      { query: { server }, init: { headers: { ...admin.headers, ...CROSS_SITE } } },
      { query: { server } },
    ],
    getPage: [{ path: { page: '' } }, { path: { page: 'keys/some' } }, { path: { page: 'assets/none.js' } }],
    getRoot: [{}],
  };
}

/** As many requests as are more than a client may send, last of all. */
async function beyond(): Promise<Record<string, Sample[]>> {
  const token = await createToken(kit.service, '@eager:notary.test');
  const times = (count: number, sample: (n: number) => Sample): Sample[] =>
    Array.from({ length: count }, (_, n) => sample(n));
  return {
    getPreview: times(PREVIEW_BURST + 1, (n) => ({
      query: { url: kit.url(`/absent-${n}`) },
      init: { headers: { Authorization: `Bearer ${token}` } },
    })),
    addCheckpoint: times(WITNESS_BURST, () => post('x')),
    getCosignedCheckpoint: [{}],
    signIn: times(6, () => json({ code: 'wrong' }, { 'Sec-Fetch-Site': 'same-origin' })),
    runOperation: times(30, () => json({ query: '{ __typename }' }, admin.headers)),
  };
}

/** Requests that break HTTP, by the status they get: the same for each path. */
function rawFor(method: string, target: string): string[] {
  const head = (more: string) =>
    `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`;
  return [
    head('X : blank\r\n'),
    head(`X: ${'a'.repeat(65_536)}\r\n`),
    head('Sec-Fetch-Site: same-origin\r\nExpect: a-miracle\r\nContent-Length: 0\r\n'),
  ];
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

function targetOf(operation: DocumentedOperation, path: string, sample: Sample): string {
  const [tag = ''] = operation['tags'] as string[];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => sample.path?.[name] ?? 'a'.repeat(64));
  const query = new URLSearchParams(sample.query ?? {}).toString();
  return `${baseOf(tag, path)}${filled}${query === '' ? '' : `?${query}`}`;
}

function send(
  operation: DocumentedOperation,
  path: string,
  sample: Sample,
  base = kit.service.url,
): Promise<Response> {
  return fetch(`${base}${targetOf(operation, path, sample)}`, { redirect: 'manual', ...sample.init });
}

/** A server that has not opened its store. */
async function startingServer(): Promise<Service> {
  const { config, files } = kit.service.context;
  const logger = createLogger({ level: 'silent' });
  return Service.start(await AppContext.create({ config, files }, { logger, uiFolder: ui.path }));
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
    const found: string[] = [];
    const seen = new Set<string>();
    const note = async (path: string, operation: DocumentedOperation, answer: Response): Promise<void> => {
      seen.add(`${plainId(operation)} ${answer.status}`);
      if (answer.headers.get('error-reason') === 'unrecognized') found.push(`${path} is not served`);
      const faulty = await differences(operation, answer);
      found.push(...faulty.map((fault) => `${path} ${answer.status}: ${fault}`));
    };
    const askAll = async (samplesOf: Record<string, Sample[]>, base?: string): Promise<void> => {
      for (const { path, operation } of operations())
        for (const sample of samplesOf[plainId(operation)] ?? [])
          await note(path, operation, await send(operation, path, sample, base));
    };
    const usual = await samples();
    await askAll(usual);
    const starting = await startingServer();
    const first = Object.entries(usual).map(([id, all]) => [id, all.slice(0, 1)] as const);
    onTestFinished(() => starting.stop());
    await askAll(Object.fromEntries(first), starting.addresses()[0]!.url);
    for (const { method, path, operation } of operations())
      for (const text of rawFor(
        method.toUpperCase(),
        targetOf(operation, path, usual[plainId(operation)]![0]!),
      )) {
        const { status, headers, body } = await sendRaw(kit.service.url, text);
        await note(path, operation, new Response(body, { status, headers: [...headers] }));
      }
    await askAll(await beyond());

    expect(found).toEqual([]);
    const promised = operations().flatMap(({ operation }) =>
      Object.keys(operation.responses).map((status) => `${plainId(operation)} ${status}`),
    );
    const unseen = [...new Set(promised)].filter((each) => !seen.has(each));
    expect(unseen.filter((each) => !UNSEEN.some(({ answers }) => answers.test(each)))).toEqual([]);
    expect(UNSEEN.filter(({ answers }) => !unseen.some((each) => answers.test(each)))).toEqual([]);
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
