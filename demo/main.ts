// npm run demo [-- --servers N --variants N]: the built program in a world to look at, until Ctrl-C.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { BLOCKED, addPages } from '../tests/browser/support/pages-of-site.js';
import { INSTANCE } from '../tests/browser/support/past-week.js';
import { freePort } from '../tests/support/origins/dns-server.js';
import { createTestAuthority, type TestAuthority } from '../tests/support/origins/remote-server.js';
import { page, startRemoteSite, type RemoteSite } from '../tests/support/origins/remote-site.js';
import { storePast } from './past.js';
import { startProduct } from './product.js';
import { SERVER_NAME, startServers, type Servers } from './servers.js';
import { fillWorld, SITES } from './traffic.js';

const { values } = parseArgs({
  options: { servers: { type: 'string', default: '120' }, variants: { type: 'string', default: '6' } },
});
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
// Without a terminal any more there is still something to remove.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => stop.abort());
// npm passes on SIGINT and SIGTERM only: when another signal has ended it, nobody can end the demo.
const parent = process.ppid;
const watch = (): void => void (process.ppid === parent || stop.abort());
if (process.env.npm_lifecycle_event === 'demo') setInterval(watch, 500).unref();

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
  await storePast(folder, servers);
  const port = await freePort();
  const settings = settingsOf({ port, authority, servers, site });
  await writeFile(join(folder, 'config.yaml'), JSON.stringify(settings, null, 2));
  site.pages.set('/pager', page('{}', { type: 'application/json' }));
  stop.signal.throwIfAborted();
  const product = await startProduct(folder, port);
  undo.push(() => product.stop());
  servers.own.url = product.url;
  const code = await product.command('admin', 'sign-in-code', '--name', 'demo');
  invite(`${product.url}/admin/sign-in#code=${code}`, { servers, site });
  const scopes = ['-s', 'preview', 'admin_write'];
  const token = await product.command('token', 'create', '-n', 'demo', '-u', '@demo:demo.example', ...scopes);
  stop.signal.throwIfAborted();
  const traffic = { product, servers, site, token, variants: Number(values.variants), signal: stop.signal };
  await untilStopped(fillWorld(traffic, progress()));
  say('all requests were sent; Ctrl-C ends the demo.');
  await untilStopped(product.ended);
}

interface World {
  port: number;
  authority: TestAuthority;
  servers: Servers;
  site: RemoteSite;
}

function settingsOf({ port, authority, servers, site }: World): Record<string, unknown> {
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
    federation: { default_port: servers.port, well_known_port: servers.port },
    admin: { environment: { label: 'Demo' }, graphql: { ad_hoc: 'always' } },
    jobs: { instance: INSTANCE },
    alerts: { webhook: { url: site.url('/pager'), secret: 'a secret of the demo, which nobody else has' } },
  };
}

function invite(link: string, { servers, site }: Pick<World, 'servers' | 'site'>): void {
  process.stdout.write(`
  ${link}

  The link signs in once. The pages fill during the next minute. Try this:

  1. A key changes under the same ID: Overview shows the alarm. Open it, look at the timeline of
     ${servers.replaced}, and acknowledge it with a reason.
  2. Find out why nobody gets the keys of ${servers.expired}: Keys, its name, Diagnose.
  3. Make a preview under Previews, Try: ${site.url('/harbour', SITES[1])}
     Then open its host and block it: the dialog says what that would have refused.

  Ctrl-C ends it and leaves nothing.
`);
}

/** Says each tenth once. */
function progress(): (share: number) => void {
  let shown = 0;
  return (share) => {
    const percent = Math.floor(share * 10) * 10;
    if (percent > shown) say(`${percent} % of the requests were sent`);
    shown = percent;
  };
}

/** Waits for something. Rejects when somebody ends the demo before. */
async function untilStopped(work: Promise<unknown>): Promise<void> {
  await Promise.race([work, once(stop.signal, 'abort')]);
  stop.signal.throwIfAborted();
}

function say(text: string): void {
  process.stderr.write(`vidimus: ${text}\n`);
}
