import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { AccessTokenStore } from '../../../src/core/access/users/access-token-store.js';
import { InstanceStore } from '../../../src/core/operators/overview/instance-store.js';
import { systemClock } from '../../../src/core/base/clock.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { openDatabase, type Database } from '../../../src/core/store/db.js';
import { loadSqliteDriver } from '../../../src/core/store/sqlite/driver.js';
import { startBusyClients } from '../../support/clients/busy-clients.js';
import { page, startRemoteSite, type RemoteSite } from '../../support/origins/remote-site.js';
import { createEmptyDatabase, testEngines, type TestDatabase } from '../../support/store/databases.js';
import { until } from '../../composition/instances/two-instances.js';
import { runHere } from '../in-process.js';
import {
  logLines,
  startVidimus,
  temporaryFolder,
  vidimus,
  writeConfig,
  type LogLine,
  type Running,
} from '../vidimus.js';

const RESOURCES = ['keys', 'previews', 'media', 'health', 'metrics', 'admin'];

describe('several workers that cannot work', () => {
  const end = async (settings: Record<string, unknown>, ...args: string[]) => {
    const folder = await temporaryFolder();
    await writeConfig(folder.path, settings);
    const ended = await vidimus([...args, '-c', 'config.yaml'], { cwd: folder.path });
    await folder.remove();
    return ended;
  };

  it.each([
    { engine: 'postgresql', url: 'postgresql://nobody@127.0.0.1:1/none' },
    { engine: 'sqlite', path: '/dev/null/none.db' },
  ])('end with the reason of the first: $engine', async (database) => {
    const { code, stdout, stderr } = await end({ server: { workers: 2 }, database }, 'serve', '--no-retry');

    expect(code).toBe(1);
    expect(stderr).toMatch(/^vidimus: .*the database .*\n$/i);
    const starts = logLines(stdout).filter(({ msg }) => msg === 'listening');
    expect(starts.map(({ worker }) => worker)).toEqual([1]);
  });
});

describe.each(testEngines())('two workers on one port, on %s', (engine) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let stored: TestDatabase;
  let database: Database;
  let site: RemoteSite;
  let running: Running;
  let url: string;
  let token: string;

  beforeAll(async () => {
    [folder, stored, site] = await Promise.all([
      temporaryFolder(),
      createEmptyDatabase(engine),
      startRemoteSite(),
    ]);
    const settings = (port: number) => ({
      listeners: [{ port, resources: RESOURCES }],
      jobs: { instance: 'notary' },
      server: { workers: 2 },
      admin: { graphql: { ad_hoc: 'never' } },
      database:
        stored.options.engine === 'postgresql'
          ? { engine, url: stored.options.url, max_connections: 4 }
          : { engine, path: stored.options.path },
      url_preview_ip_range_whitelist: ['127.0.0.0/8'],
    });
    await rename(await writeConfig(folder.path, settings(0)), join(folder.path, 'workers.yaml'));
    running = startVidimus(['serve', '-c', 'workers.yaml'], { cwd: folder.path });
    await untilReady(2);
    url = await running.url('keys');
    // For commands that ask the server.
    await writeConfig(folder.path, settings(Number(new URL(url).port)));
    database = await openDatabase(stored.options, createLogger({ level: 'silent' }));
    const tokens = new AccessTokenStore(database, systemClock);
    token = (await tokens.create({ userId: '@a:notary.test', label: '', expiresTs: null })).token;
  });
  afterAll(async () => {
    running.child.kill('SIGKILL');
    await running.finished;
    await database.close();
    await Promise.all([site.close(), stored.cleanup(), folder.remove()]);
  });

  const lines = (msg: string): LogLine[] => logLines(running.stdout()).filter((line) => line.msg === msg);
  const workersThatSaid = (msg: string): number[] =>
    lines(msg)
      .map(({ worker }) => Number(worker))
      .toSorted((a, b) => a - b);
  /** Resolves when so many starts have led to a worker that is ready. */
  const untilReady = (count: number) => until(() => lines('ready').length >= count);
  /** Each request on a connection of its own, which the next worker takes. */
  const ask = (path: string): Promise<Response> =>
    fetch(url + path, { headers: { Connection: 'close', Authorization: `Bearer ${token}` } });
  const hits = (path: string): number => site.hits.filter((hit) => hit.path === path).length;
  const preview = (path: string) =>
    ask(`/_svc/media/v3/preview_url?url=${encodeURIComponent(site.url(path))}`);

  it('both answer, each is an instance with a name of its own, and one has migrated', async () => {
    await Promise.all(Array.from({ length: 8 }, () => ask('/_svc/key/v2/server')));

    await expect.poll(() => lines('request').length).toBeGreaterThanOrEqual(8);
    expect(new Set(lines('request').map(({ worker }) => worker))).toEqual(new Set([1, 2]));
    const names = async () => (await new InstanceStore(database).list()).map(({ name }) => name).toSorted();
    await expect.poll(names).toEqual(['notary', 'notary-2']);
  });

  it('/metrics has the series of both, whichever answers', async () => {
    const text = await (await ask('/metrics')).text();

    expect(text.match(/^# TYPE vidimus_build_info gauge$/gm)).toHaveLength(1);
    expect(text.match(/^vidimus_build_info\{.*\} 1$/gm)).toHaveLength(2);
    const answered = [1, 2].map((worker) =>
      Number(
        new RegExp(`^vidimus_http_requests_total\\{.*key.*worker="${worker}"\\} (\\d+)$`, 'm').exec(
          text,
        )?.[1],
      ),
    );
    expect(answered.every((count) => count > 0)).toBe(true);
  });

  it('HUP to the program is a reload in both', async () => {
    running.child.kill('SIGHUP');

    await expect.poll(() => workersThatSaid('configuration reloaded')).toEqual([1, 2]);
  });

  it('a worker that is killed is replaced, the other answers meanwhile, and nothing is forgotten', async () => {
    site.pages.set('/kept', page('<title>Kept</title>'));
    expect((await preview('/kept')).status).toBe(200);
    const pids = await workerPids(running.child.pid);
    const [second = 0] = pids.slice(-1);
    process.kill(second, 'SIGKILL');
    await running.log('a worker ended and is started again');
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => (await preview('/kept')).status),
    );
    await untilReady(3);

    expect(statuses).toEqual(Array(6).fill(200));
    expect(hits('/kept')).toBe(1);
  });

  it('a preview that is deleted through one is gone from both', async () => {
    site.pages.set('/gone', page('<title>Gone</title>'));
    const both = () => Promise.all(Array.from({ length: 4 }, () => preview('/gone')));
    await both();
    expect(hits('/gone')).toBe(1);
    const args = ['previews', 'rm', '--host', '127.0.0.1', '--count', '2', '-c', 'config.yaml'];
    expect(await runHere(args, { cwd: folder.path })).toMatchObject({ code: 0 });
    site.pages.delete('/gone');

    await until(async () => (await both()).every(({ status }) => status === 502));
  });

  it('what one was downloading when it was killed is taken over by the other', async () => {
    site.pages.set('/taken', () => site.pages.set('/taken', page('<title>Taken over</title>')));
    const [first = 0, second = 0] = await workerPids(running.child.pid);
    process.kill(first, 'SIGSTOP');
    // One of both goes to the worker that stands still, which finds the other's lease when it goes on.
    const asked = [preview('/taken'), preview('/taken')].map((answer) => answer.catch(() => null));
    await until(() => hits('/taken') === 1);
    process.kill(first, 'SIGCONT');
    process.kill(second, 'SIGKILL');

    const statuses = (await Promise.all(asked)).map((answer) => answer?.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === undefined)).toHaveLength(1);
    expect(hits('/taken')).toBe(2);
    await untilReady(4);
  });

  it('what both write at once is all stored, and downloaded once', async () => {
    const paths = Array.from({ length: 24 }, (_, index) => `/written-${index}`);
    for (const path of paths) site.pages.set(path, page(`<title>${path}</title>`));
    const answers = await Promise.all(paths.flatMap((path) => [preview(path), preview(path)]));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(paths.map(hits)).toEqual(Array(24).fill(1));
    const stored = await database.client.previewCache.findMany({ select: { url: true } });
    const urls = new Set(stored.map((row) => row.url));
    expect(paths.filter((path) => !urls.has(site.url(path)))).toEqual([]);
  });

  const fileOnly = engine === 'sqlite' ? [engine] : [];
  it.each(fileOnly)('a second server on the %s file is refused, and told of the first', async () => {
    const { code, stderr } = await vidimus(['serve', '-c', 'workers.yaml'], { cwd: folder.path });

    expect(code).toBe(1);
    expect(stderr).toContain(`in use by process ${running.child.pid} on `);
  });

  it.each(fileOnly)('a writer of the %s file that takes its time holds up only what writes', async () => {
    if (stored.options.engine !== 'sqlite') throw new Error('not on SQLite');
    for (const path of ['/patient', '/known']) site.pages.set(path, page('<title>Patient</title>'));
    expect((await preview('/known')).status).toBe(200);
    const driver = loadSqliteDriver();
    const other = new driver(stored.options.path, { timeout: 1000 });
    other.exec('BEGIN IMMEDIATE');
    const waiting = [preview('/patient'), preview('/patient')];
    const statuses = new Set<number>();
    for (let asked = 0; asked < 100; asked += 1) {
      statuses.add((await ask('/_svc/key/v2/server')).status);
      statuses.add((await preview('/known')).status);
    }
    expect(hits('/patient')).toBe(0);
    other.close();

    expect(statuses).toEqual(new Set([200]));
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
    expect(hits('/patient')).toBe(1);
  });

  it('TERM ends all in order, with what is under way, and resets nobody who keeps asking', async () => {
    site.pages.set('/slow', page('<title>Slow</title>'));
    const last = preview('/slow');
    await until(() => hits('/slow') === 1);
    const clients = startBusyClients(url, { count: 50, serverName: 'notary.test' });
    await clients.answers(100);
    running.child.kill('SIGTERM');

    const { errors, statuses } = await clients.ended;
    expect(new Set(errors)).toEqual(new Set(['ECONNREFUSED']));
    expect(statuses).toEqual(new Set([200]));
    expect((await last).status).toBe(200);
    expect((await running.finished).code).toBe(0);
    expect(workersThatSaid('stopped')).toEqual([1, 2]);
    expect(await new InstanceStore(database).list()).toEqual([]);
  });
});

/** Process numbers of those it has started, the oldest first. */
async function workerPids(pid = 0): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').map(Number);
}
