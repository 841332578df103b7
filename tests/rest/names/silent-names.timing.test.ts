import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { DAY_MS } from '../../../src/core/base/clock.js';
import { startDnsServer, type DnsServer } from '../../support/origins/dns-server.js';
import { respondJson, startKeyOrigin, type KeyOrigin } from '../../support/origins/key-origin.js';
import { makeKeyRecord, makeTestKey } from '../../support/origins/key-record-maker.js';
import { postKey, postKeys } from '../../support/clients/notary-client.js';
import { createToken, preview, type PreviewAnswer } from '../../support/clients/preview-client.js';
import { createTestAuthority, type TestAuthority } from '../../support/origins/remote-server.js';
import { page, startRemoteSite, type RemoteSite } from '../../support/origins/remote-site.js';
import { startTestService, type TestService } from '../../support/service.js';
import { createSystemNames, type SystemNames } from '../../support/system-names.js';
import { medianOf, undisturbedMs } from '../../support/undisturbed.js';

const SILENT = 1000;
const ROUNDS = 9;
const LIMIT_MS = 100;
const PIECE = 50;
/** A query begins with so many, and goes on as they answer. */
const NAMES_AT_ONCE = 16;

let dns: DnsServer;
let names: SystemNames;
let authority: TestAuthority;
let origin: KeyOrigin;
let site: RemoteSite;
let service: TestService;

const silent = (kind: string): string[] => Array.from({ length: SILENT }, (_, at) => `${kind}-${at}.example`);
const KEY_NAMES = silent('dead');
const LINK_NAMES = silent('gone');

beforeAll(async () => {
  dns = await startDnsServer();
  for (const name of [...KEY_NAMES, ...LINK_NAMES]) dns.zones.set(name, { failure: 'silence' });
  const good = Array.from({ length: ROUNDS + 1 }, (_, at) => `good-${at}.example`);
  for (const name of good) dns.zones.set(name, { A: ['127.0.0.1'] });
  names = await createSystemNames([dns.address]);
  authority = await createTestAuthority();
  const certificate = await authority.leaf({ names: good });
  origin = await startKeyOrigin({ certificate, respond: respondJson('{}') });
  site = await startRemoteSite();
  site.pages.set('/', page('<title>There</title>'));
  service = await startTestService({ dnsFiles: names.files, caPaths: [authority.caPath] });
});
afterAll(async () => {
  await service.remove();
  await origin.close();
  await site.close();
  await authority.remove();
  await names.remove();
  await dns.close();
});

const medianMs = async (work: (at: number) => Promise<void>): Promise<number> => {
  const times: number[] = [];
  for (let at = 0; at < ROUNDS; at += 1) times.push(await undisturbedMs(() => work(at)));
  return medianOf(times);
};

const countAsked = (asked: readonly string[]): number => {
  const queries = new Set(dns.queries);
  return asked.filter((name) => queries.has(`A ${name}`)).length;
};
const allAsked = async (asked: readonly string[]): Promise<void> =>
  await expect.poll(() => countAsked(asked), { interval: 5 }).toBe(asked.length);

describe('1,000 names whose name servers are silent, on default settings', () => {
  it('hold up no other key fetch', async () => {
    const port = origin.serverName.split(':').at(-1);
    const fetchGood = async (at: number): Promise<void> => {
      const serverName = `good-${at}.example:${port}`;
      const validUntilTs = service.clock.now() + DAY_MS;
      origin.respond = respondJson(makeKeyRecord({ serverName, keys: [makeTestKey('k1')], validUntilTs }));
      expect((await postKey(service.url, serverName)).records).toHaveLength(1);
    };
    await fetchGood(ROUNDS);
    const question = {
      server_keys: Object.fromEntries(KEY_NAMES.map((name) => [name, { 'ed25519:k1': {} }])),
    };
    const flood = postKeys(service.url, question);
    await expect.poll(() => countAsked(KEY_NAMES), { interval: 5 }).toBe(NAMES_AT_ONCE);

    expect(await medianMs(fetchGood)).toBeLessThan(LIMIT_MS);
    expect((await flood).records).toEqual([]);
  });

  it('hold up no other preview of the same user', async () => {
    const token = await createToken(service);
    const previewGood = async (at: number): Promise<void> => {
      const answer = await preview(service, token, site.url('/', `good-${at}.example`));
      expect(answer.body['og:title']).toBe('There');
    };
    // Loads what the first preview needs.
    await previewGood(ROUNDS);
    const flood: Promise<PreviewAnswer>[] = [];
    // In pieces: a listener takes some hundred new connections at once.
    for (let at = 0; at < SILENT; at += PIECE) {
      const piece = LINK_NAMES.slice(at, at + PIECE);
      flood.push(...piece.map((name) => preview(service, token, `http://${name}/`)));
      await allAsked(piece);
    }

    expect(await medianMs(previewGood)).toBeLessThan(LIMIT_MS);
    const answers = await Promise.all(flood);
    expect(new Set(answers.map(({ status, body }) => `${status} ${String(body.error)}`))).toEqual(
      new Set(['502 DNS resolution failure during URL preview generation']),
    );
  });
});
