import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { parseKeyQueryBody } from '../../../../src/rest/peers/key-query-body.js';
import { BufferedLogDestination } from '../../../../src/core/base/runtime/buffered-log-destination.js';
import { RequestIds } from '../../../../src/core/base/runtime/request-ids.js';

const TURNS = 12;

/** Processor time of the second over that of the first, the least of some turns each. */
function costRatio(times: number, first: () => void, second: () => void): number {
  const spent = (run: () => void): number => {
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

it('plain bodies of a hundred servers cost less than by the strict parser', () => {
  const servers = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [
      `matrix-${i}.org.example:8448`,
      { 'ed25519:a_BnCh': { minimum_valid_until_ts: 1_795_350_000_000 + i } },
    ]),
  );
  const body = Buffer.from(JSON.stringify({ server_keys: servers }));
  const limits = { maxServers: 1000, maxKeyIdsPerServer: 100, maxKeyIds: 5000 };
  const parse = (triesPlain: boolean) => (): void => void parseKeyQueryBody(body, limits, triesPlain);

  expect(costRatio(200, parse(true), parse(false))).toBeGreaterThan(1.15);
});
