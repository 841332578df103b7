import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { freePort } from '../../support/origins/dns-server.js';
import { makeTestKey } from '../../support/origins/key-record-maker.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
  type TestAuthority,
} from '../../support/origins/remote-server.js';
import { createTestDatabase } from '../../support/store/databases.js';
import { runHere } from '../in-process.js';
import { startVidimus, temporaryFolder, vidimus, writeConfig, type Running } from '../vidimus.js';

const HOOK = { url: 'https://hooks.test/x', secret_path: 'hook.secret' };

interface AuditRow {
  actor: string;
  method: string;
  action: string;
  outcome: string;
  summary: string;
}

let authority: TestAuthority;
let remote: RemoteServer;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let running: Running;
let port: number;

beforeAll(async () => {
  folder = await temporaryFolder();
  await writeFile(join(folder.path, 'hook.secret'), 'x'.repeat(40), { mode: 0o600 });
  authority = await createTestAuthority();
  remote = await startRemoteServer(authority, { validUntilTs: Date.now() + 86_400_000 });
  await writeConfig(folder.path, settings(0));
  await rename(join(folder.path, 'config.yaml'), join(folder.path, 's.yaml'));
  running = startVidimus(['serve', '-c', 's.yaml'], { cwd: folder.path });
  await running.log('ready');
  port = Number(new URL(await running.url('admin')).port);
  await writeConfig(folder.path, settings(port));
});
afterAll(async () => {
  running.child.kill('SIGKILL');
  await running.finished;
  await Promise.all([folder.remove(), remote.origin.close(), authority.remove()]);
});

function settings(listenPort: number): Record<string, unknown> {
  return {
    listeners: [{ port: listenPort, resources: ['keys', 'previews', 'health', 'admin'] }],
    alerts: { webhook: HOOK },
    admin: { graphql: { ad_hoc: 'never' } },
    ip_range_whitelist: ['127.0.0.0/8'],
    dns: { hosts: { 'hooks.test': ['127.0.0.1'] } },
    federation_custom_ca_list: [authority.caPath],
  };
}

const lineOf = (...args: string[]) => [...args, '-c', 'config.yaml'];
const run = (...args: string[]) => runHere(lineOf(...args), { cwd: folder.path });
const json = async <T>(...args: string[]): Promise<T> => {
  const { stdout, stderr } = await run(...args, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout) as T;
};

describe('commands that ask the running server', () => {
  it('pause and resume a job', async () => {
    const [paused, none] = await Promise.all([
      vidimus(lineOf('job', 'pause', 'preview_cleanup', '--reason', 'disk'), { cwd: folder.path }),
      run('job', 'pause', 'nothing'),
    ]);

    expect(paused).toMatchObject({ code: 0, stdout: 'preview_cleanup is paused.\n' });
    expect(none).toMatchObject({ code: 1, stderr: expect.stringMatching(/^vidimus: \S.*\n$/) });
    const resumed = await run('job', 'pause', 'preview_cleanup', '--resume');
    expect(resumed.stdout).toBe('preview_cleanup is resumed.\n');
  });

  it('run a job and wait until it ends', async () => {
    const [done, none] = [await run('job', 'run', 'media_sweep'), await run('job', 'run', 'delete_media')];

    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^media_sweep ok.*\.\n$/) });
    expect(none).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^vidimus: .*\n$/) });
  });

  it('add, list and remove a pattern, which comes before other rules', async () => {
    const { rule } = await json<{ rule: { id: string } }>('rule', 'add', '.example.org');
    const listed = await run('rule', 'ls');
    const removed = await run('rule', 'rm', rule.id);

    expect(listed.stdout.split('\n')[1]).toContain(rule.id);
    expect(listed.stdout).toContain('built in');
    expect(removed).toMatchObject({ code: 0, stdout: 'Removed.\n' });
  });

  it('have the configuration read again, and say what differs', async () => {
    const edited = { ...settings(0), federation_domain_whitelist: [remote.serverName] };
    const write = (values: object) =>
      writeFile(join(folder.path, 's.yaml'), JSON.stringify({ server_name: 'notary.test', ...values }));

    await write({ ...settings(0), alerts: {} });
    const secrets = await run('config', 'reload', '--dry-run');
    await write(edited);
    const before = await run('config', 'reload', '--dry-run');
    const reloaded = await json<{ changed: { path: string }[] }>('config', 'reload');

    expect(secrets.stdout).toContain('alerts.webhook.url: (secret)\n');
    expect(before.stdout).toBe(`federation_domain_whitelist: null → ["${remote.serverName}"]\n`);
    expect(reloaded.changed.map(({ path }) => path)).toEqual(['federation_domain_whitelist']);
  });

  it('list, count before they delete, and take any operation, whatever ad_hoc says of others', async () => {
    const [counted, media, nothing, asked, unread] = await Promise.all([
      run('previews', 'rm', '--host', '.example.org'),
      run('media', 'rm', '--user', '@alice:notary.test'),
      run('previews', 'rm'),
      run('api', '{ nothing }'),
      run('api', '@missing.graphql'),
    ]);

    expect(counted).toMatchObject({ code: 0, stdout: 'Nothing matches.\n' });
    expect(media).toMatchObject({ code: 0, stdout: 'Nothing matches.\n' });
    expect(nothing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Give IDs or a filter'),
    });
    expect(asked.code).toBe(1);
    expect(unread).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('missing.graphql cannot be read'),
    });
    expect(JSON.parse(asked.stdout)).toMatchObject({ errors: [{ message: expect.any(String) }] });
  });

  it('list servers and what happened to their keys', async () => {
    const { serverName } = remote;
    await run('key', 'refresh', serverName);
    remote.publish({ keys: [makeTestKey('k1')] });
    const again = await run('key', 'refresh', serverName);
    const listed = await run('key', 'ls', '--needs-look');
    const open = await run('key', 'events', '--open', '--server', serverName);

    expect(again.code).toBe(0);
    expect(listed.stdout).toMatch(/^SERVER .*\n127\.0\.0\.1:\d+ +1 +fresh /);
    expect(open.stdout).toMatch(/127\.0\.0\.1:\d+ +alert +.*ed25519:k1/);
  });

  it('show health and test a webhook', async () => {
    const [health, tested] = [await run('health'), await run('webhook', 'test')];

    expect(health.stdout).toMatch(/^STATE +CHECK.*\n(?:.*\n)*ok +Database /);
    expect(tested.stdout).toMatch(/^The webhook failed: .*\n$/);
  });

  it('make, list and revoke a token', async () => {
    const made = await run('token', 'create', '--user', '@alice:notary.test', '--name', 'laptop');
    const [token] = await json<{ id: string; name: string }[]>('token', 'ls');
    const revoked = await run('token', 'revoke', token?.id ?? '');

    expect(made.stdout).toMatch(/^\S{20,}\n$/);
    expect(token?.name).toBe('laptop');
    expect(revoked).toMatchObject({ code: 0, stdout: `Revoked: ${token?.id}\n` });
    expect(await json('token', 'ls')).toEqual([]);
  });

  it('are in audit under who ran them; lists end at the limit', async () => {
    const changes = await json<AuditRow[]>('audit', '--since', '1h');
    const first = await json<AuditRow[]>('audit', '--all', '--limit', '1');

    expect(changes.map(({ action, outcome }) => `${action} ${outcome}`).toSorted()).toEqual(
      expect.arrayContaining(['ADD_BLOCK_RULE OK', 'RELOAD_SETTINGS OK', 'SET_JOB_PAUSED OK']),
    );
    expect(first).toHaveLength(1);
    expect(changes.find(({ action }) => action === 'ADD_BLOCK_RULE')).toMatchObject({
      actor: expect.stringMatching(/^command line/),
      method: 'COMMAND',
    });
  });

  it('say what to do when no server is there, and when it has another database', async () => {
    const elsewhere = { listeners: [{ port: await freePort(), resources: ['admin'] }] };
    await writeConfig(folder.path, elsewhere);
    const away = await run('job', 'ls');
    const { options, cleanup } = await createTestDatabase('sqlite');
    await writeConfig(folder.path, { ...settings(port), database: options });
    const other = await run('job', 'ls');
    await cleanup();

    expect(away.stderr).toMatch(/No answer from .*ECONNREFUSED.*"vidimus serve"/);
    expect(other.stderr).toMatch(/The server uses another database/);
    expect([away.code, other.code]).toEqual([3, 1]);
  });
});
