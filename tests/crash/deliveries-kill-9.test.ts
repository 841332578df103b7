import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createLogger } from '../../src/core/base/logger.js';
import { enqueue } from '../../src/core/operators/oversight/outbox/outbox-store.js';
import { openDatabase, type Database } from '../../src/core/store/db.js';
import { seededRandom } from '../support/mutations.js';
import { programFile } from '../support/own-process.js';
import { startWebhookReceiver, type WebhookReceiver } from '../support/origins/webhook-receiver.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../support/store/databases.js';

/** `VIDIMUS_DELIVERY_KILLS=100` for more. */
const KILLS = Number(process.env['VIDIMUS_DELIVERY_KILLS'] ?? '5');
const INSTANCES = 2;
const NAMES = 5;
const EVENTS = 60;
/** Longer than anybody holds an item. */
const AHEAD_MS = 60_000;
const STARTER = 'tests/support/store/sending-process.ts';

describe.each(testEngines())('senders killed with -9 between sending and marking, on %s', (engine) => {
  let place: TestDatabase;
  let database: Database;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    place = await createTestDatabase(engine);
    database = await openDatabase(place.options, createLogger({ level: 'silent' }));
    receiver = await startWebhookReceiver();
  });
  afterAll(async () => {
    await receiver.close();
    await database.close();
    await place.cleanup();
  });

  const start = async (aheadMs: number) => {
    const child = spawn(
      process.execPath,
      [await programFile(STARTER), JSON.stringify(place.options), receiver.url, String(aheadMs)],
      { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    );
    await once(child, 'message');
    const closed = once(child, 'close');
    return async () => {
      child.kill('SIGKILL');
      await closed;
    };
  };

  it(
    'lose nothing, and no event overtakes an earlier one of its name',
    async () => {
      const drafts = Array.from({ length: NAMES * EVENTS }, (_, index) => ({
        channel: 'webhook' as const,
        destination: 'ops',
        subject: `${index % NAMES}.example`,
        kind: 'key_added',
        payload: JSON.stringify({ server_name: `${index % NAMES}.example`, number: index }),
        createdTs: 1,
      }));
      await database.plain.transaction((runner) => enqueue(runner, drafts));
      const random = seededRandom(20_261_122);
      // While the receiver waits with an answer, the item is sent and not marked.
      let seen: () => void = () => undefined;
      // Nothing is answered before all have started: else the first would send everything meanwhile.
      let started = Promise.resolve();
      receiver.answer = (_hook, response) => {
        seen();
        const answer = () => response.writeHead(204).end();
        void started.then(() => (random(4) > 0 ? answer() : setTimeout(answer, random(50))));
      };
      let aheadMs = 0;
      for (let kill = 0; kill < KILLS; kill += 1) {
        let release: () => void = () => undefined;
        started = new Promise((resolve) => (release = resolve));
        const stops = await Promise.all(Array.from({ length: INSTANCES }, () => start(aheadMs)));
        release();
        let left = 1 + random(30);
        await new Promise<void>((resolve) => {
          seen = () => {
            left -= 1;
            if (left <= 0) resolve();
          };
          if (left <= 0) resolve();
        });
        await Promise.all(stops.map((stop) => stop()));
        aheadMs += AHEAD_MS;
      }
      const waits = () => database.client.outbox.count({ where: { state: 'waiting' } });
      expect(await waits()).toBeGreaterThan(0);
      const stop = await start(aheadMs);
      await expect.poll(waits).toBe(0);
      await stop();

      const byName = new Map<string, number[]>();
      for (const { json } of receiver.received) {
        const name = String(json.server_name);
        byName.set(name, [...(byName.get(name) ?? []), Number(json['number'])]);
      }
      expect(byName.size).toBe(NAMES);
      for (const numbers of byName.values()) {
        expect(new Set(numbers).size).toBe(EVENTS);
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      }
      const again = receiver.received.length - NAMES * EVENTS;
      expect(again).toBeGreaterThan(0);
    },
    120_000 + KILLS * 10_000,
  );
});
