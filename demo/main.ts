// npm run demo [-- --servers N --previews N]: the built program with a world to look at, until Ctrl-C.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { createLogger } from '../src/core/base/logger.js';
import { openDatabase } from '../src/core/store/db.js';
import { migrate } from '../src/core/store/migrate.js';
import { BLOCKED, addPages } from '../tests/browser/support/pages-of-site.js';
import { INSTANCE, rememberAWeek } from '../tests/browser/support/past-week.js';
import { freePort } from '../tests/support/origins/dns-server.js';
import { createTestAuthority, type TestAuthority } from '../tests/support/origins/remote-server.js';
import { startRemoteSite, type RemoteSite } from '../tests/support/origins/remote-site.js';
import { startProduct, type Product } from './product.js';
import { startServers, type Servers } from './servers.js';
import { SITES, askForKeys, askForPreviews } from './traffic.js';
import { storeHistory } from './history.js';
import { SERVER_NAME, storePreviews } from './volume.js';

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '374' },
    previews: { type: 'string', default: '2500' },
  },
});
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());

const undo: (() => Promise<void>)[] = [];
try {
  await run();
} catch (error) {
  if (!stop.signal.aborted) throw error;
} finally {
  for (const step of undo.toReversed()) await step();
}

async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-demo-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const authority = await createTestAuthority();
  undo.push(() => authority.remove());
  const servers = await startServers(authority, Number(values.servers));
  undo.push(() => servers.close());
  const site = await startRemoteSite();
  undo.push(() => site.close());
  await addPages(site);
  say(`storing ${values.previews} previews and a week of figures …`);
  await fill(folder, servers);
  const port = await freePort();
  await writeFile(
    join(folder, 'config.yaml'),
    JSON.stringify(settingsOf({ port, authority, servers, site }), null, 2),
  );
  const product = await startProduct(folder, port);
  undo.push(() => product.stop());
  say(`asking for the keys of ${servers.names.size} servers and for previews …`);
  const scopes = ['-s', 'preview', 'admin_write'];
  const token = await product.command('token', 'create', '-n', 'demo', '-u', '@demo:demo.example', ...scopes);
  await untilStopped(
    Promise.all([askForKeys(product, servers, token), askForPreviews(product, site, token)]),
  );
  await invite(product);
  await untilStopped(product.ended);
}

async function fill(folder: string, servers: Servers): Promise<void> {
  const options = { engine: 'sqlite', path: join(folder, 'vidimus.db'), synchronous: 'normal' } as const;
  const logger = createLogger({ level: 'silent' });
  await migrate(options, logger);
  const database = await openDatabase(options, logger);
  await storePreviews(database, join(folder, 'media'), Number(values.previews));
  await storeHistory(database, servers);
  await rememberAWeek(database, Date.now());
  await database.close();
}

interface Place {
  port: number;
  authority: TestAuthority;
  servers: Servers;
  site: RemoteSite;
}

function settingsOf({ port, authority, servers, site }: Place): Record<string, unknown> {
  const resources = ['keys', 'log', 'previews', 'media', 'health', 'metrics', 'admin'];
  const hosts = Object.fromEntries([...SITES, BLOCKED].map((host) => [host, ['127.0.0.1']]));
  return {
    server_name: SERVER_NAME,
    signing_key_path: 'signing.key',
    media_store_path: 'media',
    database: { path: 'vidimus.db' },
    listeners: [{ port, bind_addresses: ['127.0.0.1'], resources }],
    ip_range_whitelist: ['127.0.0.0/8'],
    url_preview_ip_range_whitelist: ['127.0.0.0/8'],
    url_preview_url_blacklist: [{ hostname: `*${BLOCKED}` }, { path: '^/private/' }],
    federation_custom_ca_list: [authority.caPath],
    dns: { servers: [servers.dns.address], hosts },
    federation: { default_port: servers.port, well_known_port: servers.port, key_fetch_timeout: '5s' },
    admin: {
      environment: { label: 'Demo', color: 'blue' },
      sign_in_code_lifetime: '1d',
      graphql: { ad_hoc: 'always' },
    },
    jobs: { instance: INSTANCE },
    // Who knows the tokens that are not ours is away.
    auth: { homeserver_url: 'http://127.0.0.1:9/' },
    alerts: { webhook: { url: site.url('/notes'), secret: 'a secret of the demo, which nobody else has' } },
  };
}

async function invite(product: Product): Promise<void> {
  const code = await product.command('admin', 'sign-in-code', '--name', 'demo');
  process.stdout.write(
    `\n  ${product.url}/admin/sign-in#code=${code}\n\n  The link signs in once. Ctrl-C ends it and leaves nothing.\n`,
  );
}

/** Waits for something. Rejects when somebody ends the demo before. */
async function untilStopped(work: Promise<unknown>): Promise<void> {
  const stopped = once(stop.signal, 'abort');
  stop.signal.throwIfAborted();
  await Promise.race([work, stopped]);
  stop.signal.throwIfAborted();
}

function say(text: string): void {
  process.stderr.write(`vidimus: ${text}\n`);
}
