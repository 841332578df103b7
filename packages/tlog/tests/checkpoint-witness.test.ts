import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { LogKey, WitnessKey, parseNote, verifyNote } from '../src/index.js';
import { CheckpointWitness, WitnessFolder } from '../src/witness.js';
import { MadeLog, OTHER_LOG_KEY, offerBody } from './support/log-origin.js';
import { temporaryFolder } from './support/run-tlog.js';

const WITNESS_KEY = new WitnessKey('witness.test', Buffer.alloc(32, 11));

const LOG = new MadeLog(600);
const FORKED = new MadeLog(600, OTHER_LOG_KEY, { face: 'other', forkAt: 5 });
const ORIGIN_SHA256 = createHash('sha256').update(OTHER_LOG_KEY.name).digest('hex');

describe('a witness (C2SP tlog-witness)', () => {
  let place: Awaited<ReturnType<typeof temporaryFolder>>;
  let folder: WitnessFolder;
  let nowTs: number;
  let splitViews: string[][];
  beforeEach(async () => {
    place = await temporaryFolder();
    folder = await WitnessFolder.open(place.path);
    nowTs = 1_700_000_000_000;
    splitViews = [];
  });
  afterEach(async () => {
    await folder.close();
    await place.remove();
  });
  const open = () =>
    new CheckpointWitness({
      key: WITNESS_KEY,
      logs: new Map([[OTHER_LOG_KEY.name, [OTHER_LOG_KEY.verifier]]]),
      folder,
      now: () => nowTs,
      onSplitView: (...about) => void splitViews.push(about),
    });
  const storedSize = async () => (await folder.read(OTHER_LOG_KEY.name)).size;

  it('cosigns each continuation, and shows the last one with the signatures of log and witness', async () => {
    const witness = open();
    for (const [from, size] of [
      [0, 3],
      [3, 3],
      [3, 255],
      [255, 257],
      [257, 600],
    ] as const) {
      const verdict = await witness.addCheckpoint(await LOG.offer(from, size));
      expect(verdict).toMatchObject({ status: 200 });
      const note = LOG.checkpoint(size) + verdict.text;
      expect(verifyNote(parseNote(note)!, [OTHER_LOG_KEY.verifier, WITNESS_KEY.verifier])).toHaveLength(2);
      expect(await witness.findCheckpoint(ORIGIN_SHA256)).toBe(note);
      nowTs += 60_000;
    }
    expect(await witness.findCheckpoint('0'.repeat(64))).toBeNull();
  });

  it('tells apart what it does not cosign, in the order of the specification', async () => {
    const witness = open();
    await witness.addCheckpoint(await LOG.offer(0, 10));
    const stranger = new MadeLog(20, new LogKey('nobody.test/log', Buffer.alloc(32, 1)));
    const impostor = new MadeLog(20, new LogKey(OTHER_LOG_KEY.name, Buffer.alloc(32, 2)));
    const wrongProof = (await LOG.prove(10, 20)).toSpliced(0, 1, Buffer.alloc(32));
    const twice = `${LOG.checkpoint(20)}${LOG.checkpoint(19).split('\n\n')[1]}`;
    const bodies = [
      [Buffer.from('nonsense'), 400],
      [Buffer.from(`old 10\n${LOG.checkpoint(20)}`), 400],
      [
        offerBody(
          10,
          Array.from({ length: 64 }, () => Buffer.alloc(32)),
          LOG.checkpoint(20),
        ),
        400,
      ],
      [Buffer.from(`old 010\n\n${LOG.checkpoint(20)}`), 400],
      [Buffer.concat([await LOG.offer(10, 20), Buffer.from([0xff])]), 400],
      [await stranger.offer(0, 20), 404],
      [await impostor.offer(10, 20), 403],
      [offerBody(10, await LOG.prove(10, 20), twice), 403],
      [await LOG.offer(30, 20), 400],
      [await LOG.offer(9, 20), 409],
      [await LOG.offer(0, 5), 409],
      [offerBody(10, wrongProof, LOG.checkpoint(20)), 422],
      [offerBody(10, [], LOG.checkpoint(20)), 422],
      [await FORKED.offer(10, 20), 422],
      [await FORKED.offer(10, 10), 422],
      [await FORKED.offer(5, 10), 409],
    ] as const;
    for (const [body, status] of bodies) expect(await witness.addCheckpoint(body)).toMatchObject({ status });
    expect(await storedSize()).toBe(10);
  });

  it('cosigns an empty log with the root it must have, and no other', async () => {
    const witness = open();
    const bad = OTHER_LOG_KEY.signNote(`${OTHER_LOG_KEY.name}\n0\n${Buffer.alloc(32).toString('base64')}\n`);
    expect(await witness.addCheckpoint(offerBody(0, [], bad))).toMatchObject({ status: 422 });
    expect(await witness.addCheckpoint(await LOG.offer(0, 0))).toMatchObject({ status: 200 });
    expect(await witness.addCheckpoint(await LOG.offer(0, 4))).toMatchObject({ status: 200 });
  });

  it('of two faces of one log cosigns one, says so once, and keeps what proves it', async () => {
    const witness = open();
    await witness.addCheckpoint(await LOG.offer(0, 50));
    for (let round = 0; round < 3; round += 1) {
      expect(await witness.addCheckpoint(await FORKED.offer(50, 50))).toMatchObject({ status: 422 });
    }
    const cosigned = await witness.findCheckpoint(ORIGIN_SHA256);
    expect(splitViews).toEqual([[OTHER_LOG_KEY.name, cosigned, FORKED.checkpoint(50)]]);
    expect(await folder.read(OTHER_LOG_KEY.name)).toMatchObject({
      checkpoint: cosigned,
      conflict: FORKED.checkpoint(50),
    });
  });

  it('repeats a cosignature within seconds, and makes a new one later', async () => {
    const witness = open();
    const offer = await LOG.offer(7, 7);
    const first = await witness.addCheckpoint(await LOG.offer(0, 7));
    nowTs += 9_000;
    expect(await witness.addCheckpoint(offer)).toEqual(first);
    nowTs += 1_000;
    const later = await witness.addCheckpoint(offer);
    expect(later).toMatchObject({ status: 200 });
    expect(later).not.toEqual(first);
  });

  it('of offers at the same time cosigns one root of a size', async () => {
    const witness = open();
    const faces = ['a', 'b', 'c', 'd', 'e', 'f'].map((face) => new MadeLog(10, OTHER_LOG_KEY, { face }));
    const bodies = await Promise.all(faces.map((log) => log.offer(0, 10)));
    const verdicts = await Promise.all(bodies.map((body) => witness.addCheckpoint(body)));
    expect(verdicts.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await storedSize()).toBe(10);
  });

  it('refuses to work with a damaged state', async () => {
    const witness = open();
    await witness.addCheckpoint(await LOG.offer(0, 5));
    await writeFile(join(place.path, `${ORIGIN_SHA256}.json`), '{');
    await expect(witness.addCheckpoint(await LOG.offer(5, 9))).rejects.toThrow('JSON');
  });
});
