import type { ServerResponse } from 'node:http';

import { acceptKeyRecord } from '../../../src/core/notary/key-record/key-record.js';
import { inTransaction } from '../../../src/core/store/db.js';
import { appendKeyEvents } from '../../../src/core/notary/keys/key-changes.js';
import { saveRecords } from '../../../src/core/notary/keys/saving/record-rows.js';
import { DAY_MS, HOUR_MS } from '../../../src/core/base/clock.js';
import { adminListeners } from '../../rest/operators/admin-kit.js';
import type { TestEngine } from '../../support/store/databases.js';
import { startDnsServer } from '../../support/origins/dns-server.js';
import { startKeyOrigin, type KeyOrigin } from '../../support/origins/key-origin.js';
import { makeKeyRecord, makeTestKey, type KeyRecordOptions } from '../../support/origins/key-record-maker.js';
import { ManualClock } from '../../support/manual-clock.js';
import { createToken, preview } from '../../support/clients/preview-client.js';
import { createTestAuthority, type TestAuthority } from '../../support/origins/remote-server.js';
import { startRemoteSite, type RemoteSite } from '../../support/origins/remote-site.js';
import { pauseJob } from '../../support/pause-job.js';
import { OWN_NAME, startTestService, type TestService } from '../../support/service.js';
import { BLOCKED, addPages } from './pages-of-site.js';
import { INSTANCE, rememberAWeek } from './past-week.js';

/** Names of servers; each resolves to this machine. */
export const HEALTHY = 'matrix.meadow.example';
export const ROTATED = 'chat.harbour.example';
export const WRONG_KEY = 'old.mill.example';
export const WRONG_NAME = 'wrong.name.example';

/** Hosts of web sites. */
export const NEWS = 'news.meadow.example';

/** A service with something in every corner, made from real servers and real sites on loopback. */
export interface World {
  service: TestService;
  site: RemoteSite;
  origin: KeyOrigin;
  token: string;
  /** Address of a page of the web site. */
  at: (path: string, host?: string) => string;
  /** Asks for a preview as a client does; returns the status. */
  ask: (url: string) => Promise<number>;
  /** Asks for the keys of a server as a peer does. */
  askKeys: (serverName: string) => Promise<Response>;
  /** Stops the service and starts it on the same files with some settings changed. */
  restart: (settings: Record<string, unknown>) => Promise<void>;
  remove: () => Promise<void>;
}

export interface WorldOptions {
  settings?: Record<string, unknown>;
  engine?: TestEngine;
  /** Jobs that would leave something beside what a test counts, or ask remote servers at any moment. */
  pausedJobs?: readonly string[];
}

/** Builds it: four servers, a site with several pages, one rule of each kind. Nothing has been asked for yet. */
export async function createWorld({
  settings = {},
  engine = 'sqlite',
  pausedJobs = [],
}: WorldOptions = {}): Promise<World> {
  const authority = await createTestAuthority();
  const clock = new ManualClock(Date.UTC(2027, 0, 15, 9, 30));
  const own = { url: '' };
  const origin = await startServers(authority, clock, own);
  const dns = await startDnsServer();
  const site = await startRemoteSite();
  await addPages(site);
  const service = await startTestService({
    engine,
    clock,
    caPaths: [authority.caPath],
    settings: { ...worldSettings(origin.port, dns.address), ...adminListeners(), ...settings },
  });
  for (const job of pausedJobs) await pauseJob(service.context.parts.database, job);
  own.url = service.url;
  const token = await createToken(service);
  const world: World = {
    service,
    site,
    origin,
    token,
    at: (path, host = NEWS) => site.url(path, host),
    ask: async (url) => (await preview(world.service, token, url)).status,
    askKeys: (serverName) => fetch(`${world.service.url}/_svc/key/v2/query/${serverName}/ed25519:auto`),
    restart: async (changes) => {
      world.service = await world.service.restart(changes);
      own.url = world.service.url;
    },
    remove: async () => {
      await world.service.remove();
      await site.close();
      await origin.close();
      await dns.close();
      await authority.remove();
    },
  };
  return world;
}

function worldSettings(port: number, dnsServer: string): Record<string, unknown> {
  const hosts = [OWN_NAME, HEALTHY, ROTATED, WRONG_KEY, WRONG_NAME, NEWS, BLOCKED];
  return {
    dns: { servers: [dnsServer], hosts: Object.fromEntries(hosts.map((host) => [host, ['127.0.0.1']])) },
    federation: { default_port: port, well_known_port: port },
    url_preview_url_blacklist: [{ hostname: `*${BLOCKED}` }, { path: '^/private/' }],
    url_preview_ip_range_blacklist: ['10.0.0.0/8', '192.168.0.0/16'],
    admin: { environment: { label: 'Test' } },
    jobs: { instance: INSTANCE },
  };
}

/** One TLS server that is four servers, told apart by their names, and the proxy in front of our own. */
async function startServers(
  authority: TestAuthority,
  clock: ManualClock,
  own: { url: string },
): Promise<KeyOrigin> {
  const certificate = await authority.leaf({ names: [OWN_NAME, HEALTHY, ROTATED, WRONG_KEY] });
  const key = makeTestKey('auto', Buffer.alloc(32, 1));
  const other = makeTestKey('auto', Buffer.alloc(32, 2));
  const old = makeTestKey('a_old', Buffer.alloc(32, 3));
  const validUntilTs = clock.now() + 7 * DAY_MS;
  const records = new Map([
    [HEALTHY, makeKeyRecord({ serverName: HEALTHY, keys: [key], validUntilTs })],
    [
      ROTATED,
      makeKeyRecord({
        serverName: ROTATED,
        keys: [other],
        oldKeys: [{ key: old, expiredTs: clock.now() - 30 * DAY_MS }],
        validUntilTs: clock.now() + HOUR_MS,
      }),
    ],
    [WRONG_KEY, makeKeyRecord({ serverName: WRONG_KEY, keys: [key], signWith: [other], validUntilTs })],
  ]);
  return startKeyOrigin({
    certificate,
    respond: (request, response) => {
      const name = (request.headers.host ?? '').replace(/:\d+$/, '');
      if (name === OWN_NAME && request.url?.startsWith('/_svc/')) {
        // While it is started again, this answers as a proxy does.
        passOn(`${own.url}${request.url}`, response).catch(() => response.writeHead(502).end());
        return;
      }
      const record = request.url?.startsWith('/_svc/key/v2/server') ? records.get(name) : undefined;
      response.writeHead(record === undefined ? 404 : 200, {
        'content-type': 'application/json',
        date: new Date(clock.now()).toUTCString(),
      });
      response.end(record ?? '{}');
    },
  });
}

async function passOn(url: string, response: ServerResponse): Promise<void> {
  const answer = await fetch(url);
  response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
}

/** Stores that the server published another key under the name of its own, as a fetch would. */
export async function replaceKey({ service }: World, serverName: string): Promise<void> {
  const { database } = service.context.parts;
  const event = {
    kind: 'key_replaced',
    severity: 'alert',
    keyId: 'ed25519:auto',
    detail: { from: 'AAAA', to: 'BBBB' },
  } as const;
  const batch = { serverName, ts: service.clock.now(), recordId: null, events: [event] };
  await inTransaction(database, (open) => appendKeyEvents(open, [batch]));
}

const POLICY = { requireAllKeysSigned: false, bannedPublicKeys: new Set<string>(), maxKeys: 1000 };

/** Stores a record as it was fetched then; valid for two days unless its options say otherwise. */
export async function storeRecord(
  { service }: World,
  fetchedTs: number,
  record: Omit<KeyRecordOptions, 'validUntilTs'> & Partial<KeyRecordOptions>,
): Promise<void> {
  const { database } = service.context.services.operators;
  const published = makeKeyRecord({ validUntilTs: fetchedTs + 2 * DAY_MS, ...record });
  const fetched = { record: acceptKeyRecord(published, record.serverName, POLICY), published, fetchedTs };
  await inTransaction(database, (open) => saveRecords(open, [fetched]));
}

/** Two weeks of a server: its key, five days without any, another key. */
export async function storePast(world: World, serverName: string): Promise<void> {
  const [old, spare] = [makeTestKey('a_old'), makeTestKey('a_spare')];
  const daysAgo = (days: number) => world.service.clock.now() - days * DAY_MS;
  const oldKeys = [{ key: old, expiredTs: daysAgo(8) }];
  for (const days of [14, 12.5]) await storeRecord(world, daysAgo(days), { serverName, keys: [old] });
  for (const days of [7, 5.5, 4, 2.5, 1])
    await storeRecord(world, daysAgo(days), { serverName, keys: [spare], oldKeys });
}

/** What an operator did: one setting with two texts, one with two lists. */
export const RELOADED = {
  actor: 'ana',
  role: 'admin',
  method: 'code',
  action: 'reloadSettings',
  targetType: 'Settings',
  targetId: null,
  summary: 'Reload the configuration',
  outcome: 'ok',
  address: null,
  requestId: 'r1',
  detail: {
    changes: [
      { path: 'max_spider_size', from: '5M', to: '6M', waits: true },
      {
        path: 'ip_range_whitelist',
        from: ['10.0.0.1', '10.0.0.2'],
        to: ['10.0.0.1', '10.0.0.3'],
        waits: false,
      },
    ],
  },
} as const;

/** Lets things happen in it, as in a day of work: good and failing fetches, previews, refusals, runs. */
export async function liveADay(world: World): Promise<void> {
  const { service, at, ask, askKeys } = world;
  for (const name of [HEALTHY, ROTATED, WRONG_KEY, WRONG_NAME]) await askKeys(name);
  for (const path of ['/harvest', '/harbour', '/meadow', '/notes', '/nothing', '/evil', '/drawing.svg'])
    await ask(at(path));
  for (const url of [at('/broken'), at('/away'), at('/inside'), `http://${BLOCKED}/`, at('/private/x')])
    await ask(url);
  // What comes again is answered from the caches.
  for (let times = 0; times < 5; times += 1) {
    await askKeys(HEALTHY);
    await ask(at('/harvest'));
  }
  // Nobody lets these in.
  await fetch(`${service.url}/_svc/media/v3/preview_url`);
  await preview(service, 'invented', at('/harvest'));
  await service.context.services.previews.hits.flush();
  // They follow the answers, and are measured below.
  await service.context.services.previews.media.making.settle();
  const { registry } = service.context.services.jobs;
  await (
    await registry.runNow('media_sweep', 'operator')
  ).finished;
  await service.context.services.health.probe();
  await rememberAWeek(service.context.parts.database, service.clock.now());
}
