import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import { createSecureContext } from 'node:tls';

import { startDnsServer, type DnsServer } from '../tests/support/origins/dns-server.js';
import { makeKeyRecord, makeTestKey, type TestKey } from '../tests/support/origins/key-record-maker.js';
import type { TestAuthority } from '../tests/support/origins/remote-server.js';
import { listenOnFreshPort } from '../tests/support/fresh-port.js';

/** The notary's own name. */
export const SERVER_NAME = 'notary.demo.example';

/** Servers with keys on loopback, told apart by their names. */
export interface Servers {
  names: readonly string[];
  /** Publishes another key under the same ID from its second request on. */
  replaced: string;
  /** Has an expired certificate. */
  expired: string;
  /** Has taken another key a month ago. */
  rotated: string;
  /** The port they all answer at, over TLS. */
  port: number;
  dns: DnsServer;
  /** Where requests for the notary's own name go once it runs, as through a proxy. */
  own: { url: string };
  close(): Promise<void>;
}

const DAY_MS = 24 * 3_600_000;
export const ROTATED_TS = Date.now() - 30 * DAY_MS;
const REGIONS = [
  'meadow',
  'harbour',
  'mill',
  'valley',
  'forest',
  'island',
  'bridge',
  'orchard',
  'summit',
  'lake',
];
const KINDS = ['chat.example', 'matrix.example', 'uni.example', 'club.example'];

/** The same key at each look. */
export function keyOf(serverName: string, version = 'a_2026'): TestKey {
  return makeTestKey(version, createHash('sha256').update(`${version} ${serverName}`).digest());
}

function nameOf(at: number): string {
  const round = Math.floor(at / REGIONS.length);
  return `${REGIONS[(at + round) % REGIONS.length]}-${round + 1}.${KINDS[Math.floor(at / 3) % KINDS.length]}`;
}

/** Starts as many; all are healthy but for the two that are to be found. */
export async function startServers(authority: TestAuthority, count: number): Promise<Servers> {
  const names = Array.from({ length: count }, (_, at) => nameOf(at));
  const [rotated = '', replaced = '', expired = ''] = names;
  const patterns = KINDS.map((kind) => `*.${kind}`);
  const good = createSecureContext(await authority.leaf({ names: [...patterns, SERVER_NAME] }));
  const bad = createSecureContext(await authority.expired(patterns));
  const own = { url: '' };
  const asked = new Set<string>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const name = request.headers.host?.replace(/:\d+$/, '') ?? '';
    if (name === SERVER_NAME && request.url?.startsWith('/_svc/') === true)
      return passOn(`${own.url}${request.url}`, response);
    const hasKeys = name !== SERVER_NAME && request.url?.startsWith('/_svc/key/v2/server') === true;
    const isOther = name === replaced && asked.has(name);
    if (hasKeys) asked.add(name);
    response.writeHead(hasKeys ? 200 : 404, { 'content-type': 'application/json' });
    response.end(hasKeys ? recordOf(name, { isOther, isRotated: name === rotated }) : '{}');
  };
  const server = https.createServer(
    { SNICallback: (name, done) => done(null, name === expired ? bad : good) },
    (request, response) => {
      response.on('error', () => {});
      void answer(request, response);
    },
  );
  server.on('tlsClientError', () => {});
  const port = await listenOnFreshPort(server, '127.0.0.1');
  const dns = await startDnsServer();
  for (const name of [...names, SERVER_NAME]) dns.zones.set(name, { A: ['127.0.0.1'] });
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await dns.close();
  };
  return { names, rotated, replaced, expired, port, dns, own, close };
}

function recordOf(
  serverName: string,
  { isOther, isRotated }: { isOther: boolean; isRotated: boolean },
): string | Buffer {
  return makeKeyRecord({
    serverName,
    keys: [isOther ? makeTestKey('a_2026') : keyOf(serverName)],
    ...(isRotated ? { oldKeys: [{ key: keyOf(serverName, 'a_2025'), expiredTs: ROTATED_TS }] } : {}),
    validUntilTs: Date.now() + 7 * DAY_MS,
  });
}

async function passOn(url: string, response: ServerResponse): Promise<void> {
  try {
    const answer = await fetch(url);
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
  } catch {
    response.writeHead(502).end();
  }
}
