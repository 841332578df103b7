import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from 'vitest';

import { LogKey, WitnessKey, parseNote, verifyNote } from '../src/index.js';
import { CheckpointWitness } from '../src/witness.js';
import { LOG_KEY, OfferedLog, offerBody } from './support/logs.js';
import { temporaryFolder } from './support/run-tlog.js';

const WITNESS_KEY = new WitnessKey('witness.test', Buffer.alloc(32, 11));
const { name, verifier } = LOG_KEY;

const LOG = new OfferedLog();
const FORKED = new OfferedLog(LOG_KEY, 'other');
const ORIGIN_SHA256 = createHash('sha256').update(name).digest('hex');

describe('a witness (C2SP tlog-witness)', () => {
  let place: Awaited<ReturnType<typeof temporaryFolder>>;
  let witness: CheckpointWitness;
  let splitViews: string[][];
  beforeEach(async () => {
    place = await temporaryFolder();
    splitViews = [];
    witness = await CheckpointWitness.open({
      key: WITNESS_KEY,
      logs: [verifier],
      folder: place.path,
      onSplitView: (...about) => void splitViews.push(about),
    });
    return async () => {
      await witness.close();
      await place.remove();
    };
  });
  const statePath = () => join(place.path, `${ORIGIN_SHA256}.json`);
  const stored = async () => JSON.parse(await readFile(statePath(), 'utf8')) as Record<string, unknown>;

  it('cosigns each continuation, and shows the last one with the signatures of log and witness', async () => {
    let from = 0;
    for (const size of [3, 255, 257, 600]) {
      const verdict = await witness.addCheckpoint(await LOG.offer(from, size));
      expect(verdict).toMatchObject({ status: 200 });
      const note = LOG.checkpoint(size) + verdict.text;
      expect(verifyNote(parseNote(note)!, [verifier, WITNESS_KEY.verifier])).toHaveLength(2);
      expect(await witness.findCheckpoint(ORIGIN_SHA256)).toBe(note);
      expect(await witness.addCheckpoint(await LOG.offer(size, size))).toMatchObject({ status: 200 });
      expect(await witness.findCheckpoint(ORIGIN_SHA256)).toBe(note);
      from = size;
    }
    expect(await witness.findCheckpoint('0'.repeat(64))).toBeNull();
  });

  it('tells apart what it does not cosign, in the order of the specification', async () => {
    await witness.addCheckpoint(await LOG.offer(0, 10));
    const stranger = new OfferedLog(new LogKey('nobody.test/log', Buffer.alloc(32, 1)));
    const impostor = new OfferedLog(new LogKey(name, Buffer.alloc(32, 2)));
    const proof = await LOG.prove(10, 20);
    const twenty = LOG.checkpoint(20);
    const twice = `${twenty}${LOG.checkpoint(19).split('\n\n')[1]}`;
    const tooLong = Array.from({ length: 64 }, () => Buffer.alloc(32));
    const bodies = [
      [Buffer.from('nonsense'), 400],
      [Buffer.from(`old 10\n${twenty}`), 400],
      [offerBody(10, tooLong, twenty), 400],
      [Buffer.from(`old 010\n\n${twenty}`), 400],
      [Buffer.concat([await LOG.offer(10, 20), Buffer.from([0xff])]), 400],
      [await stranger.offer(0, 20), 404],
      [await impostor.offer(10, 20), 403],
      [offerBody(10, proof, twice), 403],
      [await LOG.offer(30, 20), 400],
      [await LOG.offer(9, 20), 409],
      [await LOG.offer(0, 5), 409],
      [offerBody(10, proof.with(0, Buffer.alloc(32)), twenty), 422],
      [offerBody(10, [], twenty), 422],
      [await FORKED.offer(10, 20), 422],
      [await FORKED.offer(10, 10), 422],
      [await FORKED.offer(5, 10), 409],
    ] as const;
    for (const [body, status] of bodies) expect(await witness.addCheckpoint(body)).toMatchObject({ status });
    expect((await stored())['checkpoint']).toContain(`${name}\n10\n`);
  });

  it('cosigns an empty log with the root it must have, and no other', async () => {
    const bad = LOG_KEY.signNote(`${name}\n0\n${Buffer.alloc(32).toString('base64')}\n`);
    expect(await witness.addCheckpoint(offerBody(0, [], bad))).toMatchObject({ status: 422 });
    expect(await witness.addCheckpoint(await LOG.offer(0, 0))).toMatchObject({ status: 200 });
    expect(await witness.addCheckpoint(await LOG.offer(0, 4))).toMatchObject({ status: 200 });
  });

  it('of two faces of one log cosigns one, says so once, and keeps what proves it', async () => {
    await witness.addCheckpoint(await LOG.offer(0, 50));
    for (let round = 0; round < 3; round += 1)
      expect(await witness.addCheckpoint(await FORKED.offer(50, 50))).toMatchObject({ status: 422 });
    const [checkpoint, conflict] = [await witness.findCheckpoint(ORIGIN_SHA256), FORKED.checkpoint(50)];
    expect(splitViews).toEqual([[name, checkpoint, conflict]]);
    expect(await stored()).toMatchObject({ checkpoint, conflict });
  });

  it('of offers at the same time cosigns one root of a size', async () => {
    const faces = ['a', 'b', 'c', 'd', 'e', 'f'].map((face) => new OfferedLog(LOG_KEY, face));
    const bodies = await Promise.all(faces.map((log) => log.offer(0, 10)));
    const verdicts = await Promise.all(bodies.map((body) => witness.addCheckpoint(body)));
    expect(verdicts.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await stored())['checkpoint']).toContain(`${name}\n10\n`);
  });

  it('refuses to work with a damaged state', async () => {
    await witness.addCheckpoint(await LOG.offer(0, 5));
    await writeFile(statePath(), '{');
    await expect(witness.addCheckpoint(await LOG.offer(5, 9))).rejects.toThrow('JSON');
  });
});
