import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { LogKey, UnavailableError, openCheckpoint, writeCheckpoint } from '../src/index.js';
import {
  type FollowedLog,
  LogContradiction,
  LogFollower,
  remoteLog,
  type ReadPath,
} from '../src/follower.js';
import {
  ORIGIN_KEY,
  filesOf,
  madeEntries,
  seededRandom,
  startLogOrigin,
  type LogFiles,
  type LogOrigin,
} from './support/log-origin.js';

const NEW: FollowedLog = { checkpoint: null, read: 0 };
const { verifier } = ORIGIN_KEY;

describe('a follower of a log', () => {
  let origin: LogOrigin;
  let read: ReadPath;

  beforeAll(async () => {
    origin = await startLogOrigin(new Map());
    read = remoteLog(new URL(origin.url));
  });
  afterAll(() => origin.close());

  const serve = (files: LogFiles) => {
    origin.asked = [];
    origin.serve = (path) => files.get(path) ?? null;
  };
  const followerOf = (followed: FollowedLog) => new LogFollower(verifier, read, followed, [0, 0]);
  /** Follows to the end; what was read. */
  const follow = async (followed: FollowedLog) => {
    const follower = followerOf(followed);
    await follower.look();
    const read: { from: number; entries: readonly Buffer[] }[] = [];
    for await (const each of follower.entries()) read.push(each);
    return { followed: follower.followed, read };
  };
  const seen = (entries: readonly Buffer[], read = entries.length): FollowedLog => {
    const note = filesOf(entries).get('checkpoint')!.toString();
    return { checkpoint: openCheckpoint(note, verifier), read };
  };
  const refusal = async (followed: FollowedLog): Promise<unknown> =>
    follow(followed).then(
      () => 'believed',
      (error: unknown) => error,
    );

  it('reads every entry once and in order, however the log grows and wherever it was interrupted', async () => {
    const random = seededRandom(1);
    for (let round = 0; round < 10; round += 1) {
      let followed = NEW;
      const read: Buffer[] = [];
      for (let size = random(600); size < 1500; size += 1 + random(600)) {
        serve(filesOf(madeEntries(0, size)));
        const follower = followerOf(followed);
        await follower.look();
        for await (const { from, entries } of follower.entries()) {
          expect(from).toBe(read.length);
          read.push(...entries);
          if (random(4) === 0) break;
        }
        // As a state that was written before the last bundle.
        followed = follower.followed;
        read.length = followed.read;
      }
      expect(read).toEqual(madeEntries(0, read.length));
    }
  });

  it('reads each tile once, over three levels', async () => {
    const entries = madeEntries(0, 66_000);
    serve(filesOf(entries));
    const { followed } = await follow(NEW);
    expect(followed.read).toBe(66_000);
    // A checkpoint, 258 + 2 + 1 tiles, and 258 bundles.
    expect(origin.asked).toHaveLength(1 + 261 + 258);
    serve(filesOf(entries));
    expect(await follow(followed)).toMatchObject({ read: [] });
    expect(origin.asked).toEqual(['checkpoint']);
  });

  it('refuses any bit that is flipped in what it reads', async () => {
    const random = seededRandom(2);
    const believed: string[] = [];
    for (let round = 0; round < 60; round += 1) {
      const entries = madeEntries(0, 1 + random(700));
      const followed = random(2) === 0 ? NEW : seen(entries.slice(0, random(entries.length)));
      const files = filesOf(entries);
      serve(files);
      await follow(followed);
      const path = origin.asked[random(origin.asked.length)]!;
      const bytes = Buffer.from(files.get(path)!);
      const bit = random(8 * bytes.length);
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      serve(new Map(files).set(path, bytes));
      if ((await refusal(followed)) === 'believed') believed.push(`${path} bit ${bit} of ${entries.length}`);
    }
    expect(believed).toEqual([]);
  });

  it('refuses a whole tree that fits together and is not the one that was signed', async () => {
    const random = seededRandom(5);
    for (let round = 0; round < 40; round += 1) {
      const entries = madeEntries(0, 1 + random(700));
      const at = random(entries.length);
      const other = filesOf(entries.toSpliced(at, 1, Buffer.from('{"entry":"another"}')));
      const signed = filesOf(entries);
      const n = Math.floor(at / 256);
      const isPartOf = (path: string) =>
        new RegExp(`/00${n}(?:[.]p/|$)`).test(path) && !path.startsWith('tile/1');
      // Everything but the checkpoint, or the tile of the entry and its bundle.
      const changed = [...other].filter(
        ([path]) => path !== 'checkpoint' && (round % 2 === 0 || isPartOf(path)),
      );
      serve(new Map([...signed, ...changed]));
      expect(await refusal(NEW)).toBeInstanceOf(LogContradiction);
    }
  });

  it('refuses a past that has been changed, and says which checkpoints contradict each other', async () => {
    const random = seededRandom(4);
    for (let round = 0; round < 80; round += 1) {
      const older = madeEntries(0, 1 + random(600));
      const changedAt = random(older.length);
      const fork = older.toSpliced(changedAt, 1, Buffer.from('{"entry":"another"}'));
      const newer = [...fork, ...madeEntries(older.length, round % 4 === 0 ? 0 : random(300))];
      const followed = seen(older);
      const newerFiles = filesOf(newer);
      serve(newerFiles);
      const error = await refusal(followed);
      if (!(error instanceof LogContradiction))
        throw new Error(`${older.length} to ${newer.length}: ${String(error)}`);
      const notes = error.contradiction.checkpoints.map(({ note }) => note);
      expect(notes).toEqual([followed.checkpoint?.note, newerFiles.get('checkpoint')?.toString()]);
    }
  });

  it('waits for a smaller checkpoint to go away, and refuses a log that stays smaller', async () => {
    const [older, newer] = [madeEntries(0, 300), madeEntries(0, 310)];
    const [before, now] = [filesOf(older), filesOf(newer)];
    let looks = 0;
    origin.serve = (path) => (path === 'checkpoint' && (looks += 1) < 3 ? before : now).get(path) ?? null;
    expect((await follow(seen(newer))).followed.checkpoint?.size).toBe(310);
    serve(before);
    const error = await refusal(seen(newer));
    expect(error).toBeInstanceOf(LogContradiction);
    expect(String(error)).toContain('had 310 entries, and now has 300');
  });

  it('reads the full tile where the partial one has gone', async () => {
    const [older, newer] = [filesOf(madeEntries(0, 300)), filesOf(madeEntries(0, 512))];
    // Of level 1 none is full yet.
    const kept = ['checkpoint', 'tile/1/000.p/1'].map((path) => [path, older.get(path)!] as const);
    serve(new Map([...newer, ...kept]));
    expect(origin.serve('tile/0/001.p/44')).toBeNull();
    const { read } = await follow(NEW);
    expect(read.flatMap(({ entries }) => entries)).toEqual(madeEntries(0, 300));
  });

  it('says that it cannot see what is withheld, and that it cannot be what is too long', async () => {
    const files = filesOf(madeEntries(0, 300));
    for (const path of ['tile/0/001.p/44', 'tile/1/000.p/1', 'tile/entries/000']) {
      const withheld = new Map(files);
      withheld.delete(path);
      serve(withheld);
      expect(await refusal(NEW)).toMatchObject({
        reason: 'status',
        message: expect.stringContaining(path),
      });
      serve(new Map(files).set(path, Buffer.alloc(17_000_000)));
      expect(await refusal(NEW)).toBeInstanceOf(LogContradiction);
    }
  });

  it('accepts only checkpoints signed with the log key, whatever cosignatures they carry', async () => {
    const entries = madeEntries(0, 3);
    const files = filesOf(entries);
    const note = files.get('checkpoint')!.toString();
    const witnessed = `${note}— witness.test ${Buffer.alloc(76, 1).toString('base64')}\n`;
    serve(new Map(files).set('checkpoint', Buffer.from(witnessed)));
    expect((await follow(NEW)).followed.checkpoint?.note).toBe(witnessed);
    const stranger = new LogKey(ORIGIN_KEY.origin, Buffer.alloc(32, 6));
    const text = note.split('\n\n')[0]!;
    const other = writeCheckpoint({ origin: 'other.test/log', size: 0, root: Buffer.alloc(32) });
    for (const bad of [
      stranger.signNote(`${text}\n`),
      ORIGIN_KEY.signNote(other),
      '',
      '<html>',
      'x'.repeat(70_000),
    ]) {
      serve(new Map(files).set('checkpoint', Buffer.from(bad)));
      expect(await refusal(NEW)).toBeInstanceOf(UnavailableError);
    }
  });

  it('does not believe a root without tiles, of any size', async () => {
    for (const size of [0, 1, 256, 70_000, Number.MAX_SAFE_INTEGER]) {
      const text = writeCheckpoint({ origin: ORIGIN_KEY.origin, size, root: Buffer.alloc(32, 7) });
      const checkpoint = Buffer.from(ORIGIN_KEY.signNote(text));
      origin.serve = (path) => {
        const width = Number(/\.p\/(\d+)$/.exec(path)?.[1] ?? 256);
        return path === 'checkpoint' ? checkpoint : Buffer.alloc(32 * width, 1);
      };
      expect([size, await refusal(NEW)]).toEqual([size, expect.any(LogContradiction)]);
    }
  });
});
