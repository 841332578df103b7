import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { freePort } from '../../support/origins/dns-server.js';
import { startVidimus, temporaryFolder, vidimus, writeConfig, type Running } from '../vidimus.js';

const HOOK = { name: 'oncall', url: 'https://hooks.test/x', secret_path: 'hook.secret' };

interface AuditRow {
  actor: string;
  method: string;
  action: string;
  outcome: string;
  summary: string;
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let running: Running;
let port: number;

beforeAll(async () => {
  folder = await temporaryFolder();
  await writeFile(join(folder.path, 'hook.secret'), 'x'.repeat(40), { mode: 0o600 });
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
  await folder.remove();
});

function settings(listenPort: number): Record<string, unknown> {
  return {
    listeners: [{ port: listenPort, resources: ['keys', 'previews', 'health', 'admin'] }],
    alerts: { webhooks: [HOOK] },
    admin: { graphql: { ad_hoc: 'never' } },
  };
}

const run = (...args: string[]) => vidimus([...args, '-c', 'config.yaml'], { cwd: folder.path });
const json = async <T>(...args: string[]): Promise<T> => {
  const { stdout, stderr } = await run(...args, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout) as T;
};

describe('commands that ask the running server', () => {
  it('pause a job; of one that is not there they say what lists them', async () => {
    const [paused, none] = await Promise.all([
      run('job', 'pause', 'preview_cleanup', '--reason', 'disk'),
      run('job', 'pause', 'nothing'),
    ]);

    expect(paused).toMatchObject({ code: 0, stdout: 'preview_cleanup is paused.\n' });
    expect(none.code).toBe(1);
    expect(none.stderr).toMatch(/^vidimus: .*"vidimus job ls" shows what there is\.\n$/);
  });

  it('add a rule, change of it what is named, and undo that', async () => {
    const says = ['--part', 'hostname=*.example.org', '--note', 'ticket 12'];
    const { rule } = await json<{ rule: { id: string } }>(
      'rule',
      'add',
      'url_preview_url_blacklist',
      ...says,
    );
    const changed = await run('rule', 'change', rule.id, '--disable');
    const undone = await json('rule', 'undo', rule.id);

    expect(changed.stdout).toBe(`${rule.id}: disabled\n`);
    expect(undone).toMatchObject({ rule: { id: rule.id, standing: 'IN_EFFECT' } });
  });

  it('have the configuration read again, and say what differs', async () => {
    const edited = { ...settings(0), federation_domain_whitelist: ['a.test'] };
    await writeFile(join(folder.path, 's.yaml'), JSON.stringify({ server_name: 'notary.test', ...edited }));

    const before = await run('config', 'reload', '--dry-run');
    const reloaded = await json<{ changed: { path: string }[] }>('config', 'reload');

    expect(before.stdout).toBe('federation_domain_whitelist: null → ["a.test"]\n');
    expect(reloaded.changed.map(({ path }) => path)).toEqual(['federation_domain_whitelist']);
  });

  it('list, count before they delete, and take any operation, whatever ad_hoc says of others', async () => {
    const [webhooks, counted, nothing, asked] = await Promise.all([
      run('webhook', 'ls'),
      run('previews', 'rm', '--host', '.example.org'),
      run('previews', 'rm'),
      run('api', '{ overview { serverName } nothing }'),
    ]);

    expect(webhooks.stdout).toMatch(/^NAME +HOST +IS TOLD\noncall +https:\/\/hooks\.test/);
    expect(counted).toMatchObject({ code: 0, stdout: 'No preview matches.\n' });
    expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining('Give ids or a filter') });
    expect(asked.code).toBe(1);
    expect(JSON.parse(asked.stdout)).toMatchObject({ errors: [{ message: expect.any(String) }] });
  });

  it('are in audit under who ran them; what changed nothing is there with --all alone', async () => {
    const changes = await json<AuditRow[]>('audit', '--since', '1h');
    const counts = await json<AuditRow[]>('audit', '--all', '--outcome', 'failed', '--limit', '1');

    expect(changes.map(({ action, outcome }) => `${action} ${outcome}`).toSorted()).toEqual(
      expect.arrayContaining(['addBlockRule OK', 'reloadSettings OK', 'setJobPaused OK']),
    );
    expect(counts).toHaveLength(1);
    expect(counts[0]?.outcome).toBe('FAILED');
    expect(changes.find(({ action }) => action === 'addBlockRule')).toMatchObject({
      actor: expect.stringMatching(/^command line/),
      method: 'COMMAND',
    });
  });

  it('say what to do when no server is there, and when it has another database', async () => {
    const elsewhere = { listeners: [{ port: await freePort(), resources: ['admin'] }] };
    await writeConfig(folder.path, elsewhere);
    const away = await run('session', 'ls');
    await writeConfig(folder.path, { ...settings(port), database: { path: 'other.db' } });
    await run('db', 'migrate');
    const other = await run('session', 'ls');

    expect(away.stderr).toMatch(/No answer from .*ECONNREFUSED.*"vidimus serve"/);
    expect(other.stderr).toMatch(/it runs with another one/);
    expect([away.code, other.code]).toEqual([3, 1]);
  });
});
