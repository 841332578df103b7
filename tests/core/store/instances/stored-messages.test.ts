import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { HOUR_MS, SECOND_MS } from '../../../../src/core/base/clock.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { StoredMessages } from '../../../../src/core/store/instances/stored-messages.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

const KEPT_MINUTES = 10;

describe.each(testEngines())('messages among instances on %s', (engine) => {
  let files: TestDatabase;
  let database: Database;
  let clock: ManualClock;
  let sender: StoredMessages;

  beforeEach(async () => {
    files = await createTestDatabase(engine);
    database = await openDatabase(files.options, createLogger({ level: 'silent' }));
    clock = new ManualClock();
    sender = instance();
  });

  afterEach(async () => {
    await database.close();
    await files.cleanup();
  });

  const instance = () =>
    new StoredMessages({ database, clock, logger: createLogger({ level: 'silent' }), notifies: false });

  const rows = () => database.client.instanceMessage.count();

  /** What an instance hears that begins to listen now, once `meanwhile` is over. */
  async function heardOf(meanwhile: () => Promise<void>): Promise<unknown[]> {
    const listener = instance();
    const heard: unknown[] = [];
    listener.on('tick', {
      schema: z.object({ at: z.int() }),
      receive: ({ at }) => void heard.push(at),
      lost: () => void heard.push('lost'),
    });
    await listener.open();
    await meanwhile();
    await listener.look();
    return heard;
  }

  /** One message a second for so many minutes, each minute ending with what a server does then. */
  async function sendFor(minutes: number): Promise<void> {
    for (let at = 0; at < minutes * 60; at += 1) {
      await sender.send('tick', { at });
      clock.advance(SECOND_MS);
      if (at % 60 === 59) await sender.prune();
    }
  }

  it('stay for ten minutes, and are level then', async () => {
    await sendFor(KEPT_MINUTES);
    const after10 = await rows();
    await sendFor(KEPT_MINUTES);
    expect([after10, await rows()]).toEqual([600, 600]);
  });

  it('go when the clock that dated them was hours ahead and is set back', async () => {
    clock.advance(2 * HOUR_MS);
    for (let at = 0; at < 5; at += 1) await sender.send('tick', { at });
    clock.advance(-2 * HOUR_MS);
    await sender.send('tick', { at: 5 });
    await sender.prune();
    expect(await rows()).toBe(1);
  });

  it('that went unheard from the midst of those that stay are told as lost', async () => {
    const heard = await heardOf(async () => {
      await sender.send('tick', { at: 0 });
      // Of an instance whose clock is late.
      clock.advance(-HOUR_MS);
      await sender.send('tick', { at: 1 });
      clock.advance(HOUR_MS);
      await sender.send('tick', { at: 2 });
      await sender.prune();
    });
    expect(heard).toEqual([0, 'lost', 2]);
  });

  it('that have all been heard leave nothing to be told as lost', async () => {
    const heard = await heardOf(async () => {
      await sender.send('tick', { at: 0 });
      await sender.send('tick', { at: 1 });
    });
    expect(heard).toEqual([0, 1]);
  });
});
