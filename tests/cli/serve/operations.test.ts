import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { freePort } from '../../support/origins/dns-server.js';
import { startVidimus, temporaryFolder, vidimus, writeConfig, type Running } from '../vidimus.js';

const HOOK = { name: 'oncall', url: 'https://hooks.test/x', secret_path: 'hook.secret' };
const KEY = `ed25519:a_1=${'A'.repeat(43)}`;

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
  it('pause a job and let it go on', async () => {
    const paused = await run('job', 'pause', 'preview_cleanup', '--reason', 'disk');
    const jobs = await json<{ name: string; state: string; reason: string }[]>('job', 'ls');
    const resumed = await run('job', 'resume', 'preview_cleanup');
    const none = await run('job', 'pause', 'nothing');

    expect(paused).toMatchObject({ code: 0, stdout: 'preview_cleanup is paused.\n' });
    expect(jobs.find(({ name }) => name === 'preview_cleanup')).toMatchObject({ state: 'paused' });
    expect(resumed).toMatchObject({ code: 0, stdout: 'preview_cleanup goes on.\n' });
    expect(none.code).toBe(1);
    expect(none.stderr).toMatch(/^vidimus: .*"vidimus job ls" shows what there is\.\n$/);
  });

  it('add, change, undo and remove a rule, and try it first', async () => {
    const says = ['--part', 'hostname=*.example.org'];
    const tried = await run('rule', 'try', 'url_preview_url_blacklist', ...says);
    const { rule } = await json<{ rule: { id: string } }>(
      ...['rule', 'add', 'url_preview_url_blacklist', ...says, '--note', 'ticket 12'],
    );
    const changed = await run('rule', 'change', rule.id, '--disable');
    const listed = (await json<{ id: string; standing: string; note: string }[]>('rule', 'ls')).find(
      ({ id }) => id === rule.id,
    );
    const undone = await run('rule', 'undo', rule.id);
    const removed = await run('rule', 'rm', rule.id);
    const again = await run('rule', 'rm', rule.id);

    expect(tried.stdout).toMatch(/^Of 0 addresses:\n/);
    expect(changed.stdout).toBe(`${rule.id}: disabled\n`);
    expect(listed).toMatchObject({ standing: 'DISABLED', note: 'ticket 12' });
    expect(undone.stdout).toBe(`${rule.id}: in effect\n`);
    expect([removed.code, again.code]).toEqual([0, 1]);
    expect(again.stderr).toContain('"vidimus rule ls"');
  });

  it('set watches, pins and notaries, and list them', async () => {
    const watch = await run('watch', 'set', 'example.org', 'oncall');
    const wrong = await run('watch', 'set', 'example.org', 'nobody');
    const pin = await run('pin', 'set', 'example.org', KEY, '--mode', 'report');
    const pins = await json('pin', 'ls');
    const removed = await run('pin', 'rm', 'example.org');
    const webhooks = await run('webhook', 'ls');

    expect([watch.code, wrong.code, pin.code, removed.code]).toEqual([0, 1, 0, 0]);
    expect(pins).toMatchObject([{ name: 'example.org', mode: 'REPORT', keys: [{ keyId: 'ed25519:a_1' }] }]);
    expect(webhooks.stdout).toMatch(/NAME +HOST +IS TOLD\noncall +hooks\.test/);
  });

  it('reload what was edited, and say what differs first', async () => {
    const edited = { ...settings(0), federation_domain_whitelist: ['a.test'] };
    await writeFile(join(folder.path, 's.yaml'), JSON.stringify({ server_name: 'notary.test', ...edited }));

    const before = await run('config', 'reload', '--dry-run');
    const reloaded = await json<{ changed: { path: string }[] }>('config', 'reload');
    const after = await run('config', 'reload');

    expect(before.stdout).toBe('federation_domain_whitelist: null → ["a.test"]\n');
    expect(reloaded.changed.map(({ path }) => path)).toEqual(['federation_domain_whitelist']);
    expect(after.stdout).toBe('Nothing differs from what is in effect.\n');
  });

  it('end sessions, forget what memory holds, count before they delete', async () => {
    const { code } = await json<{ code: string }>('admin', 'sign-in-code', '--name', 'ana');
    await fetch(`http://127.0.0.1:${port}/admin/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ code }),
    });
    const [session] = await json<{ id: string; actor: string }[]>('session', 'ls');
    const ended = await run('session', 'end', session?.id ?? '');
    const left = await json('session', 'ls');
    const forgot = await run('previews', 'forget', '--failed');
    const counted = await run('previews', 'rm', '--host', '.example.org');
    const deleted = await run('previews', 'rm', '--host', '.example.org', '--count', '3');
    const nothing = await run('previews', 'rm');

    expect([session?.actor, ended.code, left]).toEqual(['ana', 0, []]);
    expect(forgot.stdout).toBe('Forgot 0.\n');
    expect(counted).toMatchObject({ code: 0, stdout: 'No preview matches.\n' });
    expect([deleted.code, nothing.code]).toEqual([1, 1]);
    expect(nothing.stderr).toContain('Give ids or a filter');
  });

  it('take any operation, whatever ad_hoc says of others, and tell its errors', async () => {
    const asked = await run('api', '{ overview { serverName health { title } } }');
    const wrong = await run('api', '{ nothing }');

    expect(JSON.parse(asked.stdout)).toMatchObject({ data: { overview: { serverName: 'notary.test' } } });
    expect(wrong.code).toBe(1);
    expect(JSON.parse(wrong.stdout)).toMatchObject({ errors: [{ message: expect.any(String) }] });
  });

  it('are in audit under who ran them; tries are there with --all alone', async () => {
    const changes = await json<AuditRow[]>('audit');
    const all = await json<AuditRow[]>('audit', '--all', '--action', 'tryBlockRule');
    const some = await json<AuditRow[]>('audit', '--since', '1h', '--outcome', 'failed', '--limit', '1');
    const none = await run('audit', '--until', '2020-01-01');

    const actions = new Set(changes.map(({ action }) => action));
    for (const action of ['setJobPaused', 'addBlockRule', 'undoBlockRule', 'setPin', 'reloadSettings'])
      expect(actions).toContain(action);
    expect([actions.has('tryBlockRule'), actions.has('signIn')]).toEqual([false, false]);
    expect(all).toMatchObject([{ action: 'tryBlockRule' }]);
    expect(some).toMatchObject([{ outcome: 'FAILED' }]);
    expect(changes.find(({ action }) => action === 'setPin')).toMatchObject({
      actor: expect.stringMatching(/^command line/),
      method: 'COMMAND',
    });
    expect(none.stderr).toContain('--all');
  });

  it('say what to do when no server is there, when it has another database, and when none can be asked', async () => {
    const elsewhere = { listeners: [{ port: await freePort(), resources: ['admin'] }] };
    await writeConfig(folder.path, { ...elsewhere, alerts: { webhooks: [HOOK] } });
    const away = await run('session', 'ls');
    await writeConfig(folder.path, { ...settings(port), database: { path: 'other.db' } });
    await run('db', 'migrate');
    const other = await run('session', 'ls');
    await writeConfig(folder.path, { listeners: [{ port: 1, resources: ['keys'] }] });
    const closed = await run('session', 'ls');

    expect(away.stderr).toMatch(/No answer from .*ECONNREFUSED.*"vidimus serve"/);
    expect(other.stderr).toMatch(/it runs with another one/);
    expect(closed.stderr).toMatch(/No listener serves admin/);
    expect([away.code, other.code, closed.code]).toEqual([3, 1, 2]);
  });
});
