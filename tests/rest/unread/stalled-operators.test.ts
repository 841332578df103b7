import { connect } from 'node:net';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { postKey } from '../../support/clients/notary-client.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
  type TestAuthority,
} from '../../support/origins/remote-server.js';
import type { TestService } from '../../support/service.js';
import { startAdminService } from '../operators/admin-kit.js';

const PADDING_BYTES = 240_000;
const YEAR_MS = 365 * 86_400_000;
const ALIASES = 14;
/** As many as a connection may send ahead, each with an answer of 3 MB. */
const REQUESTS = 100;

let authority: TestAuthority;
let service: TestService;
let remote: RemoteServer;

beforeEach(async () => {
  authority = await createTestAuthority();
  service = await startAdminService({
    caPaths: [authority.caPath],
  });
  const validUntilTs = service.clock.now() + YEAR_MS;
  remote = await startRemoteServer(authority, {
    validUntilTs,
    extra: { padding: 'x'.repeat(PADDING_BYTES) },
  });
  await postKey(service.url, remote.serverName);
});
afterEach(async () => {
  await service.remove();
  await remote.origin.close();
  await authority.remove();
});

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.split(' ')[1] ?? 0);
}

/** Sends the same request again and again, reads nothing, and waits until something of the answers is held here. */
async function stall(request: string): Promise<void> {
  const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1' });
  socket.pause().on('error', () => undefined);
  socket.write(request.repeat(REQUESTS));
  const heldBytes = (): Promise<number> => metric('vidimus_unsent_bytes');
  await expect.poll(heldBytes, { interval: 100 }).toBeGreaterThan(0);
}

async function graphqlRequest(): Promise<string> {
  const wanted = { userId: null, label: 'script', expiresTs: null, scopes: ['admin_read'] as const };
  const { token } = await service.context.access.tokens.create(wanted);
  const records = Array.from({ length: ALIASES }, (_, at) => `t${at}: published`).join(' ');
  const query = `{ server(name: "${remote.serverName}") { records { nodes { ${records} } } } }`;
  const body = JSON.stringify({ query });
  const head = ['POST /admin/api/graphql HTTP/1.1', 'Host: x', 'Content-Type: application/json'];
  const rest = [`Authorization: Bearer ${token}`, `Content-Length: ${body.length}`];
  return [...head, ...rest, '', body].join('\r\n');
}

it('GraphQL answers that nobody reads are counted, and cut off after a minute', async () => {
  await stall(await graphqlRequest());
  const cutOff = async (): Promise<number> => {
    service.clock.advance(10_000);
    return metric('vidimus_client_bound_total{bound="stalled"}');
  };
  await expect.poll(cutOff, { timeout: 20_000, interval: 1100 }).toBe(1);

  await expect.poll(() => metric('vidimus_unsent_bytes')).toBe(0);
});
