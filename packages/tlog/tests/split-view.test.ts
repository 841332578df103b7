import { Buffer } from 'node:buffer';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { LogContradiction, LogFollower, RemoteLog } from '../src/follower/index.js';
import { WitnessKey } from '../src/index.js';
import { CheckpointWitness, WitnessFolder } from '../src/witness/index.js';
import { filesOf, madeEntries, startLogOrigin, type LogOrigin } from './support/log-origin.js';
import { MadeLog, OTHER_LOG_KEY } from './support/made-log.js';
import { temporaryFolder } from './support/run-tlog.js';

const FORK_AT = 250;

/** One log that shows each of two askers another face, from an entry on that it has shown to both. */
function faceOf(name: string) {
  const log = new MadeLog(600, OTHER_LOG_KEY, { face: name, forkAt: FORK_AT });
  const entries = madeEntries(0, 600).map((entry, index) =>
    index < FORK_AT ? entry : Buffer.concat([entry, Buffer.from(name)]),
  );
  return { log, files: (size: number) => filesOf(entries.slice(0, size), OTHER_LOG_KEY) };
}

describe('a log with two faces', () => {
  let origin: LogOrigin;
  let remote: RemoteLog;

  beforeAll(async () => {
    origin = await startLogOrigin(new Map());
    remote = new RemoteLog({ url: new URL(origin.url), signal: new AbortController().signal, retryMs: [] });
  });
  afterAll(() => origin.close());

  it.each([
    [300, 'split_view'],
    [600, 'inconsistent'],
  ])(
    'is caught by a witness and a follower that have seen one of them, at %i entries',
    async (size, outcome) => {
      const place = await temporaryFolder();
      const folder = await WitnessFolder.open(place.path);
      const witness = new CheckpointWitness({
        key: new WitnessKey('witness.test', Buffer.alloc(32, 11)),
        logs: [{ origin: OTHER_LOG_KEY.name, keys: [OTHER_LOG_KEY.verifier] }],
        folder,
        now: () => 1_700_000_000_000,
        onSplitView: () => undefined,
      });
      const [first, second] = [faceOf('a'), faceOf('b')];
      const follower = new LogFollower({
        key: OTHER_LOG_KEY.verifier,
        readPath: (path, maxBytes) => remote.read(path, maxBytes),
        followed: { checkpoint: null, read: 0 },
      });
      const look = async (files: Map<string, Buffer>) => {
        origin.serve = (path) => files.get(path) ?? null;
        await follower.look();
      };
      await look(first.files(300));
      const cosigned = await witness.addCheckpoint(await first.log.offer(0, 300));
      expect(cosigned.outcome).toBe('cosigned');

      const caught = await look(second.files(size)).catch((error: unknown) => error);
      expect(caught).toBeInstanceOf(LogContradiction);
      const { checkpoints } = (caught as LogContradiction).contradiction;
      expect(checkpoints.map(({ note }) => note)).toEqual([
        first.log.checkpoint(300),
        second.log.checkpoint(size),
      ]);
      const refused = await witness.addCheckpoint(await second.log.offer(300, size));
      expect(refused).toEqual({ outcome });
      await folder.close();
      await place.remove();
    },
  );
});
