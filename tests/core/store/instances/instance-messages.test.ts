import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createLogger } from '../../../../src/core/base/logger.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { InstanceMessages } from '../../../../src/core/store/instances/instance-messages.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

const logger = createLogger({ level: 'silent' });

describe.runIf(testEngines().includes('postgresql'))('messages among instances', () => {
  let place: TestDatabase;
  let database: Database;
  let sender: InstanceMessages;
  let receiver: InstanceMessages;
  let heard: unknown[];

  beforeEach(async () => {
    place = await createTestDatabase('postgresql');
    database = await openDatabase(place.options, logger);
    [sender, receiver] = [new InstanceMessages(database, logger), new InstanceMessages(database, logger)];
    heard = [];
    for (const messages of [sender, receiver]) {
      messages.on('broken', () => Promise.reject(new Error('away')));
      messages.on('names', (names) => void heard.push(names ?? 'lost'));
      await messages.open();
    }
  });
  afterEach(async () => {
    await Promise.all([sender.close(), receiver.close()]);
    await database.close();
    await place.cleanup();
  });

  const endListening = () =>
    database.client.$queryRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'LISTEN %'`;

  it('arrive at the others in their order, and not at the sender', async () => {
    await sender.send('names', ['a']);
    await sender.send('unknown', []);
    await sender.send('names', ['b']);

    await expect.poll(() => heard).toEqual([['a'], ['b']]);
  });

  it('count as lost when they are too large', async () => {
    await sender.send('names', Array(2000).fill('name'));

    await expect.poll(() => heard).toEqual(['lost']);
  });

  it('count as lost when another version has another form of them', async () => {
    const text = JSON.stringify({ sender: 'other', topic: 'names', payload: { names: ['a'] } });
    await database.client.$executeRaw`SELECT pg_notify('vidimus_message', ${text})`;

    await expect.poll(() => heard).toEqual(['lost', 'lost']);
  });

  it('count as lost after a new connection, on which they are heard again', async () => {
    await endListening();
    await expect.poll(() => heard).toEqual(['lost', 'lost']);

    await sender.send('names', ['a']);
    await expect.poll(() => heard.at(-1)).toEqual(['a']);
  });

  it('count as lost while the own ones do not arrive, and no more once they do', async () => {
    await receiver.beat();
    await sender.send('names', ['after the beat']);
    await expect.poll(() => heard).toHaveLength(1);
    await receiver.beat();
    await sender.send('names', ['after the second']);
    await expect.poll(() => heard).toEqual([['after the beat'], ['after the second']]);
    heard = [];

    const deaf = new InstanceMessages(
      { ...database, listenUrl: new URL('/postgres', database.listenUrl!).href },
      logger,
    );
    deaf.on('names', (names) => void heard.push(names ?? 'lost'));
    await deaf.open();
    await deaf.beat();
    await deaf.beat();
    await deaf.close();
    expect(heard).toEqual(['lost']);
  });
});
