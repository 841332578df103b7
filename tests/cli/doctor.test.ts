import { rename, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { listenOnFreshPort } from '../support/fresh-port.js';
import { createTestCa } from '../support/origins/test-ca.js';
import { startDnsServer, type DnsServer } from '../support/origins/dns-server.js';
import { startHomeserver } from '../support/origins/homeserver.js';
import { runHere } from './in-process.js';
import { startVidimus, temporaryFolder, vidimus, writeConfig } from './vidimus.js';

interface Line {
  key: string;
  state: string;
  message: string;
  advice: string | null;
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let dns: DnsServer;
const undo: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
  dns = await startDnsServer();
  undo.push(() => dns.close());
});
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
  await folder.remove();
});

const run = (...args: string[]) => runHere(['doctor', '-c', 'config.yaml', ...args], { cwd: folder.path });

async function examine() {
  const { code, stdout } = await run('--json');
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Line[] };
  const states = Object.fromEntries(checks.map(({ key, state }) => [key, state]));
  return { code, ok, states, of: (key: string) => checks.find((line) => line.key === key) };
}

describe('vidimus doctor', () => {
  it('asks a running server, and tries anew what it depends on; exit code 1 when something fails', async () => {
    const homeserver = await startHomeserver({});
    undo.push(() => homeserver.close());
    const settings = {
      dialect: 'matrix',
      dns: { servers: [dns.address] },
      auth: { homeserver_url: homeserver.url },
      signing_key_path: './own.key',
    };
    const resources = ['keys', 'previews', 'media', 'health'];
    const path = await writeConfig(folder.path, { ...settings, listeners: [{ port: 0, resources }] });
    await rename(path, join(folder.path, 's.yaml'));
    const running = startVidimus(['serve', '-c', 's.yaml'], { cwd: folder.path });
    undo.push(async () => {
      running.child.kill('SIGKILL');
      await running.finished;
    });
    await running.log('ready');
    const url = await running.url('health');
    const port = Number(new URL(url).port);
    await writeConfig(folder.path, {
      ...settings,
      public_baseurl: `${url}/`,
      listeners: [{ port, resources }],
    });

    const well = await examine();

    expect(well.of('routes')).toMatchObject({ state: 'ok' });
    expect(well).toMatchObject({
      code: 0,
      ok: true,
      states: {
        server: 'ok',
        store: 'ok',
        clock: 'unproved',
        disk: 'ok',
        database_space: 'ok',
        dns: 'ok',
        reach: 'ok',
        homeserver: 'ok',
        image_codecs: 'ok',
        signing_keys: 'ok',
        outgoing_tls: 'unproved',
      },
    });
    expect(well.of('open_files')?.message).toMatch(
      /^\d+ of \d+ files and sockets of this command are open\.$/,
    );
    // What a process has done would be of this one.
    expect(Object.keys(well.states)).not.toContain('clients');

    homeserver.state.fail = true;
    const ill = await examine();

    expect(ill).toMatchObject({ code: 1, ok: false, states: { homeserver: 'failed', server: 'ok' } });
    expect(ill.of('homeserver')?.advice).toMatch(/whether the homeserver runs/);
  });

  it('says what can be said without server and store, and changes nothing', async () => {
    await writeConfig(folder.path, {
      dns: { servers: [dns.address] },
      listeners: [{ port: 1, resources: ['keys', 'health'] }],
    });

    const { code, stdout } = await vidimus(['doctor', '-c', 'config.yaml'], { cwd: folder.path });

    expect(code).toBe(0);
    expect(stdout).toMatch(/^WARNING  Server: No answer from .*\n {9}Start the server/m);
    expect(stdout).toMatch(/^unproved Database: There is no database yet/m);
    expect(stdout).toMatch(/^unproved Clock: /m);
    expect(stdout).toMatch(/^unproved Outgoing TLS: No answer from notary\.test: .*\n {9}Look whether/m);
    for (const title of ['DNS', 'Media folder', 'Image codecs', 'Open files'])
      expect(stdout).toMatch(new RegExp(`^ok {7}${title}: `, 'm'));

    await writeConfig(folder.path, {
      dns: { servers: ['127.0.0.1:1'] },
      database: { engine: 'postgresql', url: 'postgresql://nobody@127.0.0.1:1/none' },
    });
    const away = await examine();
    expect(away).toMatchObject({ code: 1, states: { store: 'failed', dns: 'failed', clock: 'unproved' } });
  });

  it('makes one checked TLS connection to an address of the configuration, and reads the time there', async () => {
    const ca = await createTestCa();
    let ageMs = 0;
    const server = https.createServer(await ca.leaf({ names: ['public.test'] }), (_request, response) => {
      response.setHeader('Date', new Date(Date.now() - ageMs).toUTCString());
      // More than anybody reads for a date.
      response.writeHead(404).end(Buffer.alloc(300_000));
    });
    const port = await listenOnFreshPort(server, '127.0.0.1');
    undo.push(async () => server.close());
    dns.zones.set('public.test', { A: ['127.0.0.1'] });
    await writeFile(join(folder.path, 'ca.pem'), ca.caPem);
    const settings = { dns: { servers: [dns.address] }, public_baseurl: `https://public.test:${port}/` };
    await writeConfig(folder.path, { ...settings, federation_custom_ca_list: ['./ca.pem'] });
    const tls = async () => (await examine()).of('outgoing_tls');

    expect(await tls()).toMatchObject({ state: 'ok', message: expect.stringContaining('clock agrees') });
    ageMs = 3_600_000;
    expect(await tls()).toMatchObject({
      state: 'warning',
      message: expect.stringMatching(/ 3\d{3} s ahead of it/),
    });
    await writeConfig(folder.path, settings);
    expect(await tls()).toMatchObject({ state: 'failed', advice: expect.stringContaining('authorities') });
  });

  it('names the errors of a faulty configuration, exit code 2', async () => {
    await writeConfig(folder.path, { nonsense: 1 });

    expect((await run()).code).toBe(2);
  });
});
