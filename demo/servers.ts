import https from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';

import { startDnsServer, type DnsServer } from '../tests/support/origins/dns-server.js';
import { respondJson, respondStatus, type Respond } from '../tests/support/origins/key-origin.js';
import { createSelfSigned, type TestCertificate } from '../tests/support/origins/test-ca.js';
import type { TestAuthority } from '../tests/support/origins/remote-server.js';
import { listenOnFreshPort } from '../tests/support/fresh-port.js';
import { HEALTHY, SICKNESSES, type CertificateKind, type Sickness } from './sicknesses.js';

/** Servers with keys on loopback, told apart by their names. */
export interface Servers {
  /** What ails each, by its name. */
  names: ReadonlyMap<string, Sickness>;
  /** The port they all answer at, over TLS. */
  port: number;
  dns: DnsServer;
  close(): Promise<void>;
}

const PLACES = [
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

/** Starts as many; each second one is healthy, and every sickness comes in turn. */
export async function startServers(authority: TestAuthority, count: number): Promise<Servers> {
  const names = new Map(Array.from({ length: count }, (_, at) => [nameOf(at), sicknessOf(at)]));
  const contexts = await makeContexts(authority);
  const contextOf = (name: string) => contexts.get(names.get(name)?.certificate ?? 'good');
  const server = https.createServer(
    { SNICallback: (name, done) => done(null, contextOf(name)) },
    (request, response) => {
      response.on('error', () => {});
      const name = request.headers.host?.replace(/:\d+$/, '') ?? '';
      respondAs(names.get(name) ?? {}, name)(request, response);
    },
  );
  server.on('tlsClientError', () => {});
  const port = await listenOnFreshPort(server, '127.0.0.1');
  const dns = await startDnsServer();
  for (const [name, { zone = { A: ['127.0.0.1'] } }] of names) if (zone !== null) dns.zones.set(name, zone);
  return {
    names,
    port,
    dns,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await dns.close();
    },
  };
}

/** As a server that delegates nothing and publishes no keys, but for what is told of it. */
function respondAs({ delegation, respond }: Partial<Sickness>, name: string): Respond {
  return (request, response) => {
    const keys = request.url?.startsWith('/.well-known/') === true ? undefined : respond?.(name);
    const document = keys === undefined && delegation !== undefined ? respondJson(delegation) : undefined;
    (keys ?? document ?? respondStatus(404))(request, response);
  };
}

/** Names do not tell who is sick. */
function nameOf(at: number): string {
  const turn = Math.floor(at / PLACES.length);
  return `${PLACES[(at + turn) % PLACES.length]}-${turn + 1}.${KINDS[Math.floor(at / 3) % KINDS.length]}`;
}

function sicknessOf(at: number): Sickness {
  const [kinds, turn] = [at % 2 === 0 ? HEALTHY : SICKNESSES, Math.floor(at / 2)];
  const kind = kinds[turn % kinds.length];
  if (kind === undefined) throw new Error('there is no kind of server');
  return kind;
}

async function makeContexts(authority: TestAuthority): Promise<ReadonlyMap<CertificateKind, SecureContext>> {
  const names = KINDS.map((kind) => `*.${kind}`);
  const certificates: Record<CertificateKind, TestCertificate> = {
    good: await authority.leaf({ names }),
    expired: await authority.expired(names),
    notYetValid: await authority.notYetValid(names),
    selfSigned: await createSelfSigned(names),
    ofAnother: await authority.leaf({ names: ['somebody.else.example'] }),
  };
  const contexts = Object.entries(certificates).map(
    ([kind, certificate]) => [kind as CertificateKind, createSecureContext(certificate)] as const,
  );
  return new Map(contexts);
}
