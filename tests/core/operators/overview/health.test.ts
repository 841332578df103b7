import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { HOUR_MS } from '../../../../src/core/base/clock.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { SigningKeyStore } from '../../../../src/core/notary/own-keys/signing-key-store.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import {
  fine,
  runChecks,
  type HealthCheck,
} from '../../../../src/core/operators/overview/health/health-check.js';
import { LatestRuns } from '../../../../src/core/job-runner/latest-runs.js';
import { HealthStore } from '../../../../src/core/operators/overview/health/health-store.js';
import { jobChecks } from '../../../../src/core/operators/overview/health/job-checks.js';
import { ownTokenCheck, signingKeyCheck } from '../../../../src/core/operators/overview/health/own-checks.js';
import { AccessTokenStore } from '../../../../src/core/access/users/access-token-store.js';
import { storeChecks } from '../../../../src/core/operators/overview/health/store-checks.js';
import { trafficChecks } from '../../../../src/core/operators/overview/health/traffic-checks.js';
import { InstanceStore } from '../../../../src/core/operators/overview/instance-store.js';
import { LiveSeries } from '../../../../src/core/operators/overview/series/live-series.js';
import {
  METRIC_NAMES,
  type MetricName,
} from '../../../../src/core/operators/overview/series/metric-names.js';
import { MetricRecorder } from '../../../../src/core/operators/overview/series/metric-recorder.js';
import { MetricStore } from '../../../../src/core/operators/overview/series/metric-store.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';
import { fillStore, makeRoom } from '../../../support/store/full-store.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { asOrdinaryUser, giveToOrdinaryUser } from '../../../support/ordinary-user.js';
import { watchedJob } from '../../../support/watched-job.js';

const lines: string[] = [];
const logger = createLogger({ level: 'error', destination: { write: (line) => void lines.push(line) } });
const clock = new ManualClock(Date.now());
/** What other servers say of our clock. */
const unasked = async () => null;
const agreeing = async () => fine('They agree.');
const checked = (checks: Parameters<typeof runChecks>[0]) => runChecks(checks, { logger, clock });

it('a check that breaks is failed, and the log says why', async () => {
  const look = () => Promise.reject(new Error('no such column'));
  const found = await checked([{ key: 'cleanup', title: 'Cleanup', how: 'asked', look }]);
  expect(found).toMatchObject([{ key: 'cleanup', state: 'failed' }]);
  expect(lines.join('')).toContain('no such column');
});

describe.each(testEngines())('the health list on %s', (engine) => {
  let home: TestDatabase;
  let database: Database;
  let folder: string;
  let store: HealthStore;
  const times = { programTs: Date.now(), signedTs: null };
  const knownTimes = async () => times;

  beforeEach(async () => {
    home = await createTestDatabase(engine);
    database = await openDatabase(home.options, createLogger({ level: 'silent' }));
    store = new HealthStore(database);
    folder = await mkdtemp(join(tmpdir(), 'vidimus-health-'));
  });

  afterEach(async () => {
    await database.close();
    await home.cleanup();
    await rm(folder, { recursive: true, force: true });
  });

  const stateOf = (checks: HealthCheck[], key: string) => checks.find((check) => check.key === key)?.state;
  const messageOf = (checks: HealthCheck[], key: string) =>
    checks.find((check) => check.key === key)?.message;
  /** Figures over time of a process whose counters stand so. */
  const seriesOf = (metrics: MetricStore, figures: Partial<Record<MetricName, number>> = {}) => {
    const read = () =>
      Promise.resolve(
        Object.fromEntries(METRIC_NAMES.map((name) => [name, figures[name] ?? 0])) as Record<
          MetricName,
          number
        >,
      );
    const recorder = new MetricRecorder({ store: metrics, read, clock, instance: 'two' });
    return new LiveSeries({ store: metrics, recorder, clock });
  };

  it('is green over a store that answers, a clock that agrees and a folder still to be made', async () => {
    const mediaStorePath = join(folder, 'not', 'yet');
    const clock = new ManualClock(Date.now());
    const checks = await checked(
      storeChecks({
        store,
        clock,
        otherClocks: agreeing,
        mediaStorePath,
        minFreeMediaBytes: 0,
        knownTimes,
        databaseFolder: null,
      }),
    );
    expect([stateOf(checks, 'clock'), stateOf(checks, 'disk')]).toEqual(['ok', 'ok']);
    // How fast it answers is a matter of the machine, which the sentence tells.
    expect(checks.find(({ key }) => key === 'store')?.message).toMatch(/\d+ ms/);
  });

  it('says so when the store is away, and goes on with the other checks', async () => {
    await database.close();
    const away = await openDatabase(
      engine === 'sqlite'
        ? { engine, path: folder, synchronous: 'normal' }
        : { engine, url: 'postgresql://nobody@127.0.0.1:1/none', maxConnections: 1 },
      createLogger({ level: 'silent' }),
    );
    const checks = await checked(
      storeChecks({
        store: new HealthStore(away),
        clock,
        otherClocks: unasked,
        mediaStorePath: folder,
        minFreeMediaBytes: 0,
        knownTimes,
        databaseFolder: null,
      }),
    );
    await away.close();
    expect(stateOf(checks, 'store')).toBe('failed');
    expect(stateOf(checks, 'disk')).toBe('ok');
    expect(checks[0]?.state).toBe('failed');
  });

  it('says that media is refused with less free space than the setting leaves', async () => {
    const sources = { store, clock, otherClocks: unasked, knownTimes, databaseFolder: null };
    const checks = await checked(
      storeChecks({ ...sources, mediaStorePath: folder, minFreeMediaBytes: Number.MAX_SAFE_INTEGER }),
    );

    expect(checks.find(({ key }) => key === 'disk')).toMatchObject({
      state: 'failed',
      advice: expect.stringContaining('media.min_free_space') as string,
    });
  });

  it('warns of a clock that differs from that of the database server', async () => {
    const wrong = new ManualClock(Date.now() + HOUR_MS);
    const checks = await checked(
      storeChecks({
        store,
        clock: wrong,
        otherClocks: unasked,
        mediaStorePath: folder,
        minFreeMediaBytes: 0,
        knownTimes,
        databaseFolder: null,
      }),
    );
    const line = checks.find(({ key }) => key === 'clock');
    const [state, advice] = engine === 'sqlite' ? ['unproved', '"Clock of others"'] : ['warning', 'chrony'];
    expect(line?.state).toBe(state);
    expect(line?.advice).toContain(advice);
  });

  it.each([-3, 11])('fails with a clock %i years off, on either engine', async (years) => {
    const wrong = new ManualClock(Date.now() + years * 365 * 24 * HOUR_MS);
    const checks = await checked(
      storeChecks({
        store,
        clock: wrong,
        otherClocks: agreeing,
        mediaStorePath: folder,
        minFreeMediaBytes: 0,
        knownTimes,
        databaseFolder: null,
      }),
    );
    expect(stateOf(checks, 'clock')).toBe('failed');
    expect(messageOf(checks, 'clock')).toContain(new Date(wrong.now()).toISOString().slice(0, 10));
  });

  it('warns of the dialect of homeservers without one', async () => {
    const tokens = new AccessTokenStore(database, clock, logger);
    const commandLine = { program: 'vidimus', options: '' };
    for (const lacksHomeserver of [true, false]) {
      const checks = await checked([ownTokenCheck(tokens, { lacksHomeserver, commandLine })]);
      expect(stateOf(checks, 'homeserver')).toBe(lacksHomeserver ? 'warning' : 'ok');
    }
  });

  it('tells who cleans up, that nobody does, and what is paused', async () => {
    const instances = new InstanceStore(database);
    const cleanup = watchedJob(null);
    const latest = new LatestRuns();
    const sources = { store, clock, instances, cleanup, latest, designatedInstance: 'worker' };
    const look = () => checked(jobChecks({ ...sources, runsMediaJobs: false }));
    expect(stateOf(await look(), 'cleanup')).toBe('failed');

    const info = { name: 'worker', startedTs: clock.now(), version: '1', runsMediaJobs: true, settings: '' };
    await instances.heartbeat({ ...info, lastSeenTs: clock.now() });
    expect(stateOf(await look(), 'cleanup')).toBe('ok');

    await database.client.jobPause.create({
      data: { job: 'preview_cleanup', pausedTs: 1n, pausedBy: 'operator', reason: 'disk swap' },
    });
    const paused = (await look()).find(({ key }) => key === 'pauses');
    expect(paused?.state).toBe('warning');
    expect(paused?.message).toContain('disk swap');
  });

  it('warns when most fetches or previews fail, keys change alarmingly, or files are gone', async () => {
    const metrics = new MetricStore(database);
    let collectedTs: number | null = null;
    const look = () => {
      const collection = { ...watchedJob(null, collectedTs), intervalMs: 6 * HOUR_MS };
      return checked(trafficChecks({ store, clock, series: seriesOf(metrics), collection }));
    };
    const quiet = await look();
    expect(quiet.map(({ key, state, provedTs }) => [key, state, provedTs])).toEqual([
      ['key_fetches', 'unproved', null],
      ['previews', 'unproved', null],
      ['missing_files', 'unproved', null],
      ['key_alerts', 'ok', clock.now()],
    ]);
    collectedTs = clock.now() - HOUR_MS;
    const compared = (await look()).find(({ key }) => key === 'missing_files');
    expect(compared).toMatchObject({ state: 'ok', provedTs: collectedTs });
    collectedTs = clock.now() - 37 * HOUR_MS;
    expect(stateOf(await look(), 'missing_files')).toBe('unproved');
    expect(messageOf(quiet, 'key_fetches')).toBe('No key fetches in the last hour.');
    expect(messageOf(quiet, 'previews')).toBe('No previews in the last hour.');

    await metrics.add(
      [
        { metric: 'key_fetches', value: 12 },
        { metric: 'key_fetch_failures', value: 11 },
        { metric: 'preview_requests', value: 9 },
        { metric: 'preview_failures', value: 9 },
      ],
      { ts: clock.now(), instance: 'one' },
    );
    await database.client.remoteServer.create({
      data: {
        serverName: 'odd.example',
        firstAskedTs: 1n,
        throttleTokens: 1,
        throttleTokensTs: 1n,
        alarmSeq: 7,
      },
    });
    await database.client.media.create({
      data: {
        mediaId: '2027-01-14_aaaaaaaaaaaaaaaa',
        userId: '@a:b',
        createdTs: 1n,
        contentType: 'image/png',
        sizeBytes: 1,
        sha256: '00',
        missingSinceTs: 5n,
      },
    });
    const checks = await look();
    expect(stateOf(checks, 'key_fetches')).toBe('warning');
    // Nine attempts are too few to judge by, and none of them proves that previews work.
    expect(checks.find(({ key }) => key === 'previews')).toMatchObject({
      state: 'unproved',
      message: '9 of 9 previews failed in the last hour.',
      advice: expect.stringMatching(/^None succeeded, too few to judge by\. Try one/),
    });
    expect(checks.find(({ key }) => key === 'key_alerts')?.message).toContain('odd.example');
    expect(stateOf(checks, 'missing_files')).toBe('warning');
    expect(messageOf(checks, 'missing_files')).toMatch(/^1 stored file is gone .* deleted it\.$/);
  });

  it('counts fetches of this process that no minute has written down yet', async () => {
    const figures: Partial<Record<MetricName, number>> = {};
    const series = seriesOf(new MetricStore(database), figures);
    const look = () => checked(trafficChecks({ store, clock, series, collection: watchedJob(null) }));
    Object.assign(figures, { key_fetches: 1, key_fetch_failures: 1 });
    const one = await look();
    expect(messageOf(one, 'key_fetches')).toBe('1 of 1 key fetch failed in the last hour.');
    expect(stateOf(one, 'key_fetches')).toBe('unproved');
    Object.assign(figures, { key_fetches: 2 });
    expect(stateOf(await look(), 'key_fetches')).toBe('ok');
    Object.assign(figures, { key_fetches: 10, key_fetch_failures: 9 });
    const checks = await look();
    expect(messageOf(checks, 'key_fetches')).toBe('9 of 10 key fetches failed in the last hour.');
    expect(stateOf(checks, 'key_fetches')).toBe('warning');
  });

  it('tells with which keys we sign', async () => {
    const commandLine = { program: 'vidimus', options: '' };
    const check = signingKeyCheck(new SigningKeyStore(database), { clock, commandLine });
    expect(stateOf(await checked([check]), 'signing_keys')).toBe('warning');
    await database.client.signingKey.create({
      data: { keyId: 'ed25519:a', publicKey: 'x', state: 'active', firstSeenTs: BigInt(clock.now()) },
    });
    expect(stateOf(await checked([check]), 'signing_keys')).toBe('ok');
  });

  it.runIf(engine === 'sqlite')('tells of a file that cannot be written to', async () => {
    if (home.options.engine !== 'sqlite') throw new Error('wrong engine');
    giveToOrdinaryUser(dirname(home.options.path));
    await chmod(home.options.path, 0o444);
    const checks = await asOrdinaryUser(async () => {
      const reader = await openDatabase(home.options, createLogger({ level: 'silent' }));
      const sources = { store: new HealthStore(reader), clock, otherClocks: unasked, knownTimes };
      const places = { mediaStorePath: null, databaseFolder: folder, minFreeMediaBytes: 0 };
      const found = await checked(storeChecks({ ...sources, ...places }));
      await reader.close();
      return found;
    });
    expect(checks[0]).toMatchObject({
      key: 'store',
      state: 'failed',
      message: 'The database file is read-only.',
      advice: expect.stringContaining('may not write there') as string,
    });
  });

  it('tells what is free beside an SQLite file, and what a PostgreSQL server takes', async () => {
    const [databaseFolder, sentence, state] =
      engine === 'sqlite' ? [folder, /GiB are free/, 'ok'] : [null, /GiB are used/, 'unproved'];
    const options = {
      store,
      clock,
      otherClocks: unasked,
      mediaStorePath: folder,
      knownTimes,
      databaseFolder,
    };
    const look = () => checked(storeChecks({ ...options, minFreeMediaBytes: 0 }));
    const checks = await look();
    expect(messageOf(checks, 'database_space')).toMatch(sentence);
    expect(stateOf(checks, 'database_space')).toBe(state);
    if (engine === 'sqlite') return;
    await fillStore(database);
    expect(stateOf(await look(), 'database_space')).toBe('failed');
    await makeRoom(database);
    expect(stateOf(await look(), 'database_space')).toBe('unproved');
    expect(await database.client.healthProbe.count()).toBe(0);
  });
});
