import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { DAY_MS, MINUTE_MS } from '../../../../src/core/base/clock.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { HealthWatch } from '../../../../src/core/operators/oversight/health-watch.js';
import type { HealthCheck } from '../../../../src/core/operators/overview/health/health-check.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

const HOOK = {
  name: 'ops',
  url: 'https://ops.example/',
  secret: 'sixteen characters',
  tells: ['health' as const],
  allow_private: false,
};
const LINE: HealthCheck = {
  key: 'disk',
  title: 'Disk',
  state: 'ok',
  message: 'There is room.',
  advice: null,
  href: null,
  provedTs: 1,
  how: 'looked',
  job: null,
};
const QUIET_MS = 10 * MINUTE_MS;

describe.each(testEngines())('what webhooks are told of health, on %s', (engine) => {
  let place: TestDatabase;
  let database: Database;
  let clock: ManualClock;
  beforeEach(async () => {
    place = await createTestDatabase(engine);
    database = await openDatabase(place.options, createLogger({ level: 'silent' }));
    clock = new ManualClock();
  });
  afterEach(async () => {
    await database.close();
    await place.cleanup();
  });

  /** An instance, and the state it finds. */
  const instance = (name: string) => {
    const finds: { state: HealthCheck['state']; key: string } = { state: 'ok', key: 'disk' };
    const watch = new HealthWatch({
      database,
      clock,
      instance: name,
      serverName: 'notary.test',
      webhooks: () => [HOOK, { ...HOOK, name: 'alarms only', tells: ['alarms'] }],
      health: async () => [{ ...LINE, ...finds }],
    });
    watch.quietTimeMs = QUIET_MS;
    return { finds, look: () => watch.look() };
  };
  const told = async () => {
    const rows = await database.client.outbox.findMany({ orderBy: { id: 'asc' } });
    return rows.map(({ destination, subject, kind }) => [destination, subject, kind].join(' '));
  };
  const RED = 'ops health:disk health_failed';
  const CLEAR = 'ops health:disk health_recovered';

  it('a line that turns red and one that recovers, each once', async () => {
    const one = instance('one');
    await one.look();
    expect(await told()).toEqual([]);
    one.finds.state = 'failed';
    await one.look();
    await one.look();
    expect(await told()).toEqual([RED]);
    clock.advance(QUIET_MS);
    for (const state of ['unproved', 'ok', 'warning'] as const) {
      one.finds.state = state;
      await one.look();
    }
    expect(await told()).toEqual([RED, CLEAR]);
  });

  it('not a line that goes to and fro within the quiet time, but how it stands after that', async () => {
    const one = instance('one');
    for (const state of ['failed', 'ok', 'failed', 'ok', 'failed', 'ok'] as const) {
      one.finds.state = state;
      await one.look();
      clock.advance(MINUTE_MS);
    }
    expect(await told()).toEqual([RED]);
    clock.advance(QUIET_MS);
    await one.look();
    expect(await told()).toEqual([RED, CLEAR]);
  });

  it('of several instances that look at once, once; red while one of them finds it red', async () => {
    const all = [instance('one'), instance('two'), instance('three')];
    for (const { finds } of all) finds.state = 'failed';
    await Promise.all(all.map(({ look }) => look()));
    expect(await told()).toEqual([RED]);
    clock.advance(QUIET_MS);
    for (const { finds } of all.slice(1)) finds.state = 'ok';
    for (const { look } of all) await look();
    expect(await told()).toEqual([RED]);
    all[0]!.finds.state = 'ok';
    for (const { look } of all) await look();
    expect(await told()).toEqual([RED, CLEAR]);
  });

  it('of an instance that is gone nothing any more, and its rows go', async () => {
    const [gone, here] = [instance('gone'), instance('here')];
    gone.finds.state = 'failed';
    await gone.look();
    clock.advance(DAY_MS + MINUTE_MS);
    await here.look();
    expect(await told()).toEqual([RED, CLEAR]);
    const rows = await database.client.healthState.findMany({ where: { instance: 'gone' } });
    expect(rows).toEqual([]);
  });

  it('nothing of deliveries, which would tell of themselves', async () => {
    const one = instance('one');
    Object.assign(one.finds, { key: 'deliveries', state: 'failed' });
    await one.look();
    expect(await told()).toEqual([]);
  });
});
