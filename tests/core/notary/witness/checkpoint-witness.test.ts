import { createHash } from 'node:crypto';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { LogKey } from '../../../../src/core/notary/log/notes/log-key.js';
import { parseNote, verifyNote } from '../../../../src/core/notary/log/notes/signed-note.js';
import { witnessCheck } from '../../../../src/core/operators/overview/health/witness-checks.js';
import { ManualClock } from '../../../support/manual-clock.js';
import type { LogLine } from '../../../support/service.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';
import {
  MadeLog,
  OTHER_LOG_KEY,
  WITNESS_KEY,
  offerBody,
  openTestWitness,
  type TestWitness,
} from '../../../support/store/test-witness.js';

const LOG = new MadeLog(600);
const FORKED = new MadeLog(600, OTHER_LOG_KEY, { face: 'other', forkAt: 5 });
const ORIGIN_SHA256 = createHash('sha256').update(OTHER_LOG_KEY.name).digest('hex');

describe.each(testEngines())('a witness (C2SP tlog-witness), on %s', (engine) => {
  let place: TestDatabase;
  let clock: ManualClock;
  let lines: LogLine[];
  let opened: TestWitness[];
  beforeAll(async () => {
    place = await createTestDatabase(engine);
  });
  afterAll(() => place.cleanup());
  beforeEach(() => {
    clock = new ManualClock();
    lines = [];
    opened = [];
  });
  afterEach(async () => {
    await opened[0]?.database.client.witnessedLog.deleteMany();
    await Promise.all(opened.map((each) => each.close()));
  });
  const open = async (options: { clock?: ManualClock; lines?: LogLine[] } = {}) => {
    const instance = await openTestWitness(place, { clock, lines, ...options });
    opened.push(instance);
    return instance;
  };
  const storedSize = async () => (await opened[0]!.store.read(OTHER_LOG_KEY.name)).size;

  it('cosigns each continuation, and shows the last one with the signatures of log and witness', async () => {
    const { witness } = await open();
    for (const [from, size] of [
      [0, 3],
      [3, 3],
      [3, 255],
      [255, 257],
      [257, 600],
    ] as const) {
      const verdict = await witness.addCheckpoint(await LOG.offer(from, size));
      expect(verdict).toMatchObject({ outcome: 'cosigned' });
      const note = LOG.checkpoint(size) + (verdict as { line: string }).line;
      expect(verifyNote(parseNote(note)!, [OTHER_LOG_KEY.verifier, WITNESS_KEY.verifier])).toHaveLength(2);
      expect(await witness.findCheckpoint(ORIGIN_SHA256)).toBe(note);
      clock.advance(60_000);
    }
    expect(await witness.findCheckpoint('0'.repeat(64))).toBeNull();
  });

  it('knows after a restart what it has cosigned', async () => {
    await (await open()).witness.addCheckpoint(await LOG.offer(0, 100));
    const { witness } = await open();
    expect(await witness.addCheckpoint(await LOG.offer(0, 200))).toEqual({ outcome: 'stale', size: 100 });
    expect(await witness.addCheckpoint(await LOG.offer(100, 200))).toMatchObject({ outcome: 'cosigned' });
  });

  it('tells apart what it does not cosign, in the order of the specification', async () => {
    const { witness, outcomes } = await open();
    await witness.addCheckpoint(await LOG.offer(0, 10));
    const stranger = new MadeLog(20, new LogKey('nobody.test/log', Buffer.alloc(32, 1)));
    const impostor = new MadeLog(20, new LogKey(OTHER_LOG_KEY.name, Buffer.alloc(32, 2)));
    const wrongProof = (await LOG.prove(10, 20)).toSpliced(0, 1, Buffer.alloc(32));
    const twice = `${LOG.checkpoint(20)}${LOG.checkpoint(19).split('\n\n')[1]}`;
    const bodies = [
      [Buffer.from('nonsense'), 'malformed'],
      [Buffer.from(`old 10\n${LOG.checkpoint(20)}`), 'malformed'],
      [
        offerBody(
          10,
          Array.from({ length: 64 }, () => Buffer.alloc(32)),
          LOG.checkpoint(20),
        ),
        'malformed',
      ],
      [Buffer.from(`old 010\n\n${LOG.checkpoint(20)}`), 'malformed'],
      [Buffer.concat([await LOG.offer(10, 20), Buffer.from([0xff])]), 'malformed'],
      [await stranger.offer(0, 20), 'unknown_origin'],
      [await impostor.offer(10, 20), 'untrusted'],
      [offerBody(10, await LOG.prove(10, 20), twice), 'untrusted'],
      [await LOG.offer(30, 20), 'size_below_old'],
      [await LOG.offer(9, 20), 'stale'],
      [await LOG.offer(0, 5), 'stale'],
      [offerBody(10, wrongProof, LOG.checkpoint(20)), 'inconsistent'],
      [offerBody(10, [], LOG.checkpoint(20)), 'inconsistent'],
      [await FORKED.offer(10, 20), 'inconsistent'],
      [await FORKED.offer(10, 10), 'split_view'],
      [await FORKED.offer(5, 10), 'stale'],
    ] as const;
    for (const [body, outcome] of bodies)
      expect(await witness.addCheckpoint(body)).toMatchObject({ outcome });
    expect(outcomes.slice(1)).toEqual(bodies.map(([, outcome]) => outcome));
    expect(await storedSize()).toBe(10);
  });

  it('cosigns an empty log with the root it must have, and no other', async () => {
    const { witness } = await open();
    const bad = OTHER_LOG_KEY.signNote(`${OTHER_LOG_KEY.name}\n0\n${Buffer.alloc(32).toString('base64')}\n`);
    expect(await witness.addCheckpoint(offerBody(0, [], bad))).toEqual({ outcome: 'split_view' });
    expect(await witness.addCheckpoint(await LOG.offer(0, 0))).toMatchObject({ outcome: 'cosigned' });
    expect(await witness.addCheckpoint(await LOG.offer(0, 4))).toMatchObject({ outcome: 'cosigned' });
  });

  it('of two faces of one log cosigns one, says so once, and keeps what proves it', async () => {
    const { witness, database, store } = await open();
    await witness.addCheckpoint(await LOG.offer(0, 50));
    for (let round = 0; round < 3; round += 1) {
      expect(await witness.addCheckpoint(await FORKED.offer(50, 50))).toEqual({ outcome: 'split_view' });
    }
    const errors = lines.filter(({ level }) => level === 'error');
    expect(errors).toMatchObject([
      { msg: 'a log has signed two different histories', origin: OTHER_LOG_KEY.name, size: 50 },
    ]);
    const row = await database.client.witnessedLog.findFirstOrThrow();
    expect([row.checkpoint.split('\n')[2], row.conflict]).toEqual([
      LOG.checkpoint(50).split('\n')[2],
      FORKED.checkpoint(50),
    ]);
    expect(await witnessCheck(witness, store).look()).toMatchObject({
      state: 'failed',
      message: 'log.test/other signed two different histories of one size.',
    });
  });

  it('repeats a cosignature within seconds, and makes a new one later', async () => {
    const { witness } = await open();
    const offer = await LOG.offer(7, 7);
    const first = await witness.addCheckpoint(await LOG.offer(0, 7));
    clock.advance(9_000);
    expect(await witness.addCheckpoint(offer)).toEqual(first);
    clock.advance(1_000);
    const later = await witness.addCheckpoint(offer);
    expect(later).toMatchObject({ outcome: 'cosigned' });
    expect(later).not.toEqual(first);
  });

  it('of offers at the same time, to several instances, cosigns one root of a size', async () => {
    const instances = await Promise.all([open(), open(), open()]);
    for (let size = 10; size < 30; size += 1) {
      const faces = await Promise.all(
        ['a', 'b', 'c', 'd', 'e', 'f'].map((face) =>
          new MadeLog(size, OTHER_LOG_KEY, { face }).offer(0, size),
        ),
      );
      const verdicts = await Promise.all(
        faces.map((body, index) => instances[index % 3]!.witness.addCheckpoint(body)),
      );
      expect(verdicts.filter(({ outcome }) => outcome === 'cosigned')).toHaveLength(1);
      expect(await storedSize()).toBe(size);
      await opened[0]!.database.client.witnessedLog.deleteMany();
    }
  });
});
