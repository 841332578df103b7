import { createToken } from '../../support/clients/preview-client.js';
import { K1 } from '../../support/origins/record-recipes.js';
import { PREVIEW_BURST, type DocumentedServer } from './documented-server.js';

const TOO_LARGE = Buffer.alloc(1024 * 1024 + 1, ' ');
const GZIP = { 'Content-Encoding': 'gzip' };
const CROSS_SITE = { 'Sec-Fetch-Site': 'cross-site' };

/** A request by the parts that the document names: of the path, of the query, the rest. */
export interface Sample {
  path?: Record<string, string>;
  query?: Record<string, string>;
  init?: RequestInit;
}

export const bearer = (token: string): RequestInit => ({ headers: { Authorization: `Bearer ${token}` } });
const post = (body: string | Buffer, headers: Record<string, string> = {}): Sample => ({
  init: { method: 'POST', body: Buffer.from(body), headers },
});
const json = (body: unknown, headers: Record<string, string> = {}): Sample =>
  post(JSON.stringify(body), { 'content-type': 'application/json', ...headers });

function mediaSamples(
  { kit, mediaId }: DocumentedServer,
  query: Record<string, string> = {},
  path: Record<string, string> = {},
): Sample[] {
  const init = bearer(kit.token);
  const ours = { serverName: 'notary.test', mediaId, ...path };
  const headers = { Authorization: `Bearer ${kit.token}` };
  return [
    { path: ours, query, init },
    { path: ours, query, init: { headers: { ...headers, Range: 'bytes=0-9' } } },
    { path: ours, query, init: { headers: { ...headers, 'If-None-Match': '*' } } },
    { path: ours, query, init: { headers: { ...headers, 'If-Match': '"other"' } } },
    { path: ours, query, init: { headers: { ...headers, Range: 'bytes=9999999-' } } },
    { path: ours, query },
    { path: { ...ours, mediaId: 'absent' }, query, init },
    { path: { ...ours, mediaId: '%ff' }, query, init },
  ];
}

/** Conditions and ranges, another site, nobody. */
function storedMedia({ admin }: DocumentedServer, path: Record<string, string>): Sample[] {
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
export async function samples(of: DocumentedServer): Promise<Record<string, Sample[]>> {
  const { kit, admin, remote, mediaId } = of;
  const signedIn = (): RequestInit => ({ headers: admin.headers });
  const record = await loggedRecord(kit.service.url);
  const server = remote.serverName;
  const sha256 = 'a'.repeat(64);
  const { code } = await kit.service.context.access.codes.create('viewer');
  const url = (path: string, more = {}): Sample => ({
    query: { url: kit.url(path), ...more },
    init: bearer(kit.token),
  });
  return {
    getPreview: [
      url('/page'),
      url('/page', { ts: '5' }),
      url('/page', { ts: 'x' }),
      url('/absent'),
      url('/hangs-up'),
      { query: {} },
      { query: { url: 'http://10.0.0.1/' }, init: bearer(kit.token) },
      { query: { url: 'ftp://a/' }, init: bearer(kit.token) },
      { query: { url: kit.url('/page') } },
    ],
    downloadMedia: mediaSamples(of),
    downloadMediaAs: mediaSamples(of, {}, { fileName: 'a.jpg' }),
    getThumbnail: [
      ...mediaSamples(of, { width: '32', height: '32' }),
      ...mediaSamples(of, { width: '0', height: '32', method: 'crop' }),
      ...mediaSamples(of, { width: '32', height: '32', method: 'fill' }),
      ...mediaSamples(of, { width: '32' }),
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
    getLoggedRecord: [{ path: { sha256: record } }, { path: { sha256 } }, { path: { sha256: 'x' } }],
    proveRecord: [{ path: { sha256: record } }, { path: { sha256 } }],
    proveKey: [
      { path: { serverName: server, keyId: K1.keyId } },
      { path: { serverName: server, keyId: 'x' } },
    ],
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
      ...storedMedia(of, { mediaId }),
      { path: { mediaId: 'absent' }, init: signedIn() },
    ],
    getStoredThumbnail: [
      { path: { mediaId, size: '32x32-crop' }, init: signedIn() },
      ...storedMedia(of, { mediaId, size: '32x32-crop' }),
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
    getPage: [{ path: { page: '' } }, { path: { page: 'keys/some' } }, { path: { page: 'assets/none.js' } }],
    getRoot: [{}],
  };
}

/** As many requests as are more than a client may send, last of all. */
export async function beyond({ kit, admin }: DocumentedServer): Promise<Record<string, Sample[]>> {
  const token = await createToken(kit.service, '@eager:notary.test');
  const times = (count: number, sample: (n: number) => Sample): Sample[] =>
    Array.from({ length: count }, (_, n) => sample(n));
  return {
    getPreview: times(PREVIEW_BURST + 1, (n) => ({
      query: { url: kit.url(`/absent-${n}`) },
      init: { headers: { Authorization: `Bearer ${token}` } },
    })),
    signIn: times(6, () => json({ code: 'wrong' }, { 'Sec-Fetch-Site': 'same-origin' })),
    runOperation: times(80, () => json({ query: '{ __typename }' }, admin.headers)),
  };
}

/** Requests that break HTTP, by the status they get: the same for each path. */
export function rawFor(method: string, target: string): string[] {
  const head = (more: string) =>
    `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`;
  return [
    head('X : blank\r\n'),
    head(`X: ${'a'.repeat(65_536)}\r\n`),
    head('Sec-Fetch-Site: same-origin\r\nExpect: a-miracle\r\nContent-Length: 0\r\n'),
  ];
}

/** SHA-256 of the first record in the log. */
async function loggedRecord(baseUrl: string): Promise<string> {
  const bundle = await fetch(`${baseUrl}/_svc/vidimus/v1/log/tile/entries/000.p/1`);
  const entry = JSON.parse((await bundle.text()).slice(2)) as { record_sha256: string };
  return entry.record_sha256;
}
