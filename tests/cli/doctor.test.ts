import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { startDnsServer, type DnsServer } from '../support/origins/dns-server.js';
import { startHomeserver } from '../support/origins/homeserver.js';
import { runHere } from './in-process.js';
import { startVidimus, temporaryFolder, vidimus, writeConfig } from './vidimus.js';
import { setUpEach } from '../support/set-up.js';

interface Line {
  id: string;
  state: string;
  message: string;
  advice: string | null;
}

const folder = setUpEach(temporaryFolder);
let dns: DnsServer;
const undo: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  dns = await startDnsServer();
  undo.push(() => dns.close());
});
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

const run = (...args: string[]) => runHere(['doctor', '-c', 'config.yaml', ...args], { cwd: folder.path });

async function examine() {
  const { code, stdout } = await run('--json');
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Line[] };
  const states = Object.fromEntries(checks.map(({ id, state }) => [id, state]));
  return { code, ok, states, of: (id: string) => checks.find((line) => line.id === id) };
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

    expect(well).toEqual({
      code: 0,
      ok: true,
      of: expect.any(Function) as unknown,
      states: {
        server: 'ok',
        database: 'ok',
        media_storage: 'ok',
        dns: 'ok',
        public_address: 'ok',
        access_tokens: 'ok',
      },
    });

    homeserver.state.fail = true;
    const ill = await examine();

    expect(ill).toMatchObject({ code: 1, ok: false, states: { access_tokens: 'failed', server: 'ok' } });
    expect(ill.of('access_tokens')?.advice).toMatch(/that the homeserver runs/);
  });

  it('says what can be said without server and store, and changes nothing', async () => {
    await writeConfig(folder.path, {
      dns: { servers: [dns.address] },
      listeners: [{ port: 1, resources: ['keys', 'health'] }],
    });

    const { code, stdout } = await vidimus(['doctor', '-c', 'config.yaml'], { cwd: folder.path });

    expect(code).toBe(0);
    expect(stdout).toMatch(/^not yet proved  Server: No answer from .*\n {16}Start the server/m);
    expect(stdout).toMatch(/^not yet proved  Database: There is no database yet/m);
    expect(stdout).not.toContain('FAILED');
    for (const title of ['DNS', 'Disk space for media', 'Access tokens'])
      expect(stdout).toMatch(new RegExp(`^ok {14}${title}: `, 'm'));

    await writeConfig(folder.path, {
      dns: { servers: ['127.0.0.1:1'] },
      database: { engine: 'postgresql', url: 'postgresql://nobody@127.0.0.1:1/none' },
    });
    const away = await examine();
    expect(away).toMatchObject({ code: 1, states: { database: 'failed', dns: 'failed' } });
  });

  it('names the errors of a faulty configuration, exit code 2', async () => {
    await writeConfig(folder.path, { nonsense: 1 });

    expect((await run()).code).toBe(2);
  });
});
