import { randomInt } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { LogKey, UnavailableError, openCheckpoint, signCheckpoint, writeCheckpoint } from '../src/index.js';
import {
  type FollowedLog,
  LogContradiction,
  LogFollower,
  remoteLog,
  type ReadPath,
} from '../src/follower.js';
import { startLogOrigin, type LogOrigin } from './support/log-origin.js';
import { LOG_KEY, filesOf, madeEntries, type LogFiles } from './support/logs.js';

const NEW: FollowedLog = { checkpoint: null, read: 0 };
const { verifier } = LOG_KEY;

describe('a follower of a log', () => {
  let origin: LogOrigin;
  let read: ReadPath;

  beforeAll(async () => {
    origin = await startLogOrigin();
    read = remoteLog(new URL(origin.url));
  });
  afterAll(() => origin.close());

  const serve = (files: LogFiles) => {
    origin.requested = [];
    origin.serve = (path) => files.get(path) ?? null;
  };
  const followerOf = (followed: FollowedLog) => new LogFollower(verifier, read, followed, [0, 0]);
  /** Follows to the end; what was read. */
  const follow = async (followed: FollowedLog) => {
    const follower = followerOf(followed);
    await follower.look();
    const read: Buffer[] = [];
    for await (const { entries } of follower.entries()) read.push(...entries);
    return { followed: follower.followed, read };
  };
  const seen = (entries: readonly Buffer[], read = entries.length): FollowedLog => {
    const note = filesOf(entries).get('checkpoint')!.toString();
    return { checkpoint: openCheckpoint(note, verifier), read };
  };
  const refusal = async (followed = NEW): Promise<unknown> =>
    follow(followed).then(
      () => 'believed',
      (error: unknown) => error,
    );

  it('reads every entry once and in order, however the log grows and wherever it was interrupted', async () => {
    for (let round = 0; round < 10; round += 1) {
      let followed = NEW;
      const read: Buffer[] = [];
      for (let size = randomInt(600); size < 1500; size += 1 + randomInt(600)) {
        serve(filesOf(madeEntries(size)));
        const follower = followerOf(followed);
        await follower.look();
        for await (const { from, entries } of follower.entries()) {
          expect(from).toBe(read.length);
          read.push(...entries);
          if (randomInt(4) === 0) break;
        }
        ({ followed } = follower);
      }
      expect(read).toEqual(madeEntries(read.length));
    }
  });

  it('reads each tile once, over three levels', async () => {
    const files = filesOf(madeEntries(66_000));
    serve(files);
    const { followed } = await follow(NEW);
    expect(followed.read).toBe(66_000);
    // A checkpoint, 258 + 2 + 1 tiles, and 258 bundles.
    expect(origin.requested).toHaveLength(1 + 261 + 258);
    serve(files);
    expect(await follow(followed)).toMatchObject({ read: [] });
    expect(origin.requested).toEqual(['checkpoint']);
  });

  it('refuses any bit that is flipped in what it reads', async () => {
    const believed: string[] = [];
    for (let round = 0; round < 40; round += 1) {
      const entries = madeEntries(1 + randomInt(700));
      const followed = randomInt(2) === 0 ? NEW : seen(entries.slice(0, randomInt(entries.length)));
      const files = filesOf(entries);
      serve(files);
      await follow(followed);
      const path = origin.requested[randomInt(origin.requested.length)]!;
      const bytes = Buffer.from(files.get(path)!);
      const bit = randomInt(8 * bytes.length);
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      serve(new Map(files).set(path, bytes));
      if ((await refusal(followed)) === 'believed') believed.push(`${path} bit ${bit} of ${entries.length}`);
    }
    expect(believed).toEqual([]);
  });

  it('refuses another tree than the signed one, and a past that has been changed', async () => {
    for (let round = 0; round < 40; round += 1) {
      const older = madeEntries(1 + randomInt(600));
      const at = randomInt(older.length);
      const changed = older.toSpliced(at, 1, Buffer.from('{"entry":"another"}'));
      const [signed, other] = [filesOf(older), filesOf(changed)];
      // Everything but the checkpoint, or the tile of the entry and its bundle.
      const part = new RegExp(`^tile/(?:0|entries)/00${Math.floor(at / 256)}(?:[.]p/|$)`);
      const mixed = [...other].filter(([path]) =>
        round % 2 === 0 ? path !== 'checkpoint' : part.test(path),
      );
      serve(new Map([...signed, ...mixed]));
      expect(await refusal()).toBeInstanceOf(LogContradiction);

      const newer = filesOf([...changed, ...madeEntries(round % 4 === 0 ? 0 : randomInt(300))]);
      serve(newer);
      const error = await refusal(seen(older));
      if (!(error instanceof LogContradiction)) throw new Error(`${older.length}: ${String(error)}`);
      const notes = error.checkpoints.map(({ note }) => note);
      expect(notes).toEqual([signed, newer].map((files) => files.get('checkpoint')!.toString()));
    }
  });

  it('waits for a smaller checkpoint to go away, and refuses a log that stays smaller', async () => {
    const [before, now] = [filesOf(madeEntries(300)), filesOf(madeEntries(310))];
    const followed = seen(madeEntries(310));
    let looks = 0;
    origin.serve = (path) => (path === 'checkpoint' && (looks += 1) < 3 ? before : now).get(path) ?? null;
    expect((await follow(followed)).followed.checkpoint?.size).toBe(310);
    serve(before);
    const error = await refusal(followed);
    expect(error).toBeInstanceOf(LogContradiction);
    expect(String(error)).toContain('had 310 entries, and now has 300');
  });

  it('reads the full tile where the partial one has gone', async () => {
    const [older, newer] = [filesOf(madeEntries(300)), filesOf(madeEntries(512))];
    // Of level 1 none is full yet.
    const kept = ['checkpoint', 'tile/1/000.p/1'].map((path) => [path, older.get(path)!] as const);
    serve(new Map([...newer, ...kept]));
    expect((await follow(NEW)).read).toEqual(madeEntries(300));
  });

  it('says that it cannot see what is withheld, and that it cannot be what is too long', async () => {
    const files = filesOf(madeEntries(300));
    for (const path of ['tile/0/001.p/44', 'tile/1/000.p/1', 'tile/entries/000']) {
      serve(new Map([...files].filter(([each]) => each !== path)));
      expect(await refusal()).toMatchObject({ reason: 'status', message: expect.stringContaining(path) });
      serve(new Map(files).set(path, Buffer.alloc(17_000_000)));
      expect(await refusal()).toBeInstanceOf(LogContradiction);
    }
  });

  it('accepts only checkpoints signed with the log key, whatever cosignatures they carry', async () => {
    const files = filesOf(madeEntries(3));
    const note = files.get('checkpoint')!.toString();
    const witnessed = `${note}— witness.test ${Buffer.alloc(76, 1).toString('base64')}\n`;
    serve(new Map(files).set('checkpoint', Buffer.from(witnessed)));
    expect((await follow(NEW)).followed.checkpoint?.note).toBe(witnessed);
    const stranger = new LogKey(LOG_KEY.name, Buffer.alloc(32, 6));
    const other = writeCheckpoint({ origin: 'other.test/log', size: 0, root: Buffer.alloc(32) });
    const signed = [stranger.signNote(`${note.split('\n\n')[0]!}\n`), LOG_KEY.signNote(other)];
    for (const bad of [...signed, '', '<html>', 'x'.repeat(70_000)]) {
      serve(new Map(files).set('checkpoint', Buffer.from(bad)));
      expect(await refusal()).toBeInstanceOf(UnavailableError);
    }
  });

  it('does not believe a root without tiles, of any size', async () => {
    for (const size of [0, 1, 256, 70_000, Number.MAX_SAFE_INTEGER]) {
      const checkpoint = Buffer.from(signCheckpoint(LOG_KEY, { size, root: Buffer.alloc(32, 7) }));
      origin.serve = (path) => {
        const width = Number(/\.p\/(\d+)$/.exec(path)?.[1] ?? 256);
        return path === 'checkpoint' ? checkpoint : Buffer.alloc(32 * width, 1);
      };
      expect([size, await refusal()]).toEqual([size, expect.any(LogContradiction)]);
    }
  });
});
