import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { HOUR_MS, systemClock } from '../../../../src/core/base/clock.js';
import { BufferedLogDestination } from '../../../../src/core/base/runtime/buffered-log-destination.js';
import { RequestIds } from '../../../../src/core/base/runtime/request-ids.js';
import { PlainQuestion } from '../../../../src/core/notary/keys/cached/plain-question.js';
import { RecordCache } from '../../../../src/core/notary/keys/record-cache.js';
import { parseKeyQueryBody } from '../../../../src/rest/peers/key-query-body.js';

const TURNS = 12;

/** Processor time of the second over that of the first, the least of some turns each. */
function costRatio(times: number, first: () => unknown, second: () => unknown): number {
  const spent = (run: () => unknown): number => {
    const before = process.cpuUsage();
    for (let i = 0; i < times; i += 1) run();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const turns = Array.from({ length: TURNS }, () => [spent(first), spent(second)] as const);
  return Math.min(...turns.map(([, each]) => each)) / Math.min(...turns.map(([each]) => each));
}

it('ids in batches cost less than ids one at a time', () => {
  const ids = new RequestIds(true);
  const single = new RequestIds(false);

  expect(
    costRatio(
      5000,
      () => void ids.next(),
      () => void single.next(),
    ),
  ).toBeGreaterThan(3);
  expect(single.next()).toHaveLength(randomBytes(9).toString('base64url').length);
});

it('gathered lines cost less than lines one at a time', () => {
  const path = join(tmpdir(), `vidimus-lines-${process.pid}`);
  const fd = openSync(path, 'w');
  const writerOf = (gatherCharacters: number): BufferedLogDestination =>
    new BufferedLogDestination({ fd, gatherCharacters, intervalMs: 3_600_000, isShared: false });
  const gathering = writerOf(8192);
  const direct = writerOf(0);
  const line = `${'x'.repeat(180)}\n`;

  const ratio = costRatio(
    2000,
    () => gathering.write(line),
    () => direct.write(line),
  );

  closeSync(fd);
  rmSync(path);
  expect(ratio).toBeGreaterThan(2);
});

it('a question of a hundred servers is answered while it is read in less time than a parser takes to read it', async () => {
  const nowTs = systemClock.now();
  const names = Array.from({ length: 100 }, (_, i) => `matrix-${i}.org.example:8448`);
  const keyIds = ['ed25519:a_BnCh'];
  const times = { addedTs: nowTs, validUntilTs: nowTs + HOUR_MS };
  const published = Buffer.from('{}');
  const cache = new RecordCache({
    load: async (serverNames) =>
      new Map(
        serverNames.map((serverName, at) => [
          serverName,
          [{ id: at + 1, serverName, published, keyIds, ...times }],
        ]),
      ),
    sign: (record) => record,
    serves: () => true,
    clock: systemClock,
    maxBytes: 1_000_000,
    lifetimeMs: HOUR_MS,
  });
  await cache.find(names, { limitMs: 1000, maxBytes: 1_000_000 });
  const criteria = { [keyIds[0]!]: { minimum_valid_until_ts: nowTs } };
  const asked = Object.fromEntries(names.map((name) => [name, criteria]));
  const body = Buffer.from(JSON.stringify({ server_keys: asked }));
  const limits = { maxServers: 1000, maxKeyIdsPerServer: 100, maxKeyIds: 5000 };
  const askedTs = systemClock.now();
  const answer = () => new PlainQuestion(body, limits, askedTs).answer(cache);
  expect(answer()?.servers).toBe(100);

  const ratio = costRatio(200, answer, () => parseKeyQueryBody(body, limits));

  expect(ratio).toBeGreaterThan(1.15);
});
