import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { LogContradiction } from '../../../../src/core/notary/log/follower/log-contradiction.js';
import { LogFollower } from '../../../../src/core/notary/log/follower/log-follower.js';
import { RemoteLog } from '../../../../src/core/notary/log/follower/remote-log.js';
import { filesOf, startLogOrigin, type LogOrigin } from '../../../support/origins/log-origin.js';
import { createTestDatabase, type TestDatabase } from '../../../support/store/databases.js';
import { madeEntries } from '../../../support/store/test-log.js';
import {
  MadeLog,
  OTHER_LOG_KEY,
  openTestWitness,
  type TestWitness,
} from '../../../support/store/test-witness.js';

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
  let database: TestDatabase;
  let watching: TestWitness;

  beforeAll(async () => {
    origin = await startLogOrigin(new Map());
    remote = new RemoteLog({ url: new URL(origin.url), signal: new AbortController().signal, retryMs: [] });
    database = await createTestDatabase('sqlite');
    watching = await openTestWitness(database);
  });
  afterAll(async () => {
    remote.close();
    await origin.close();
    await watching.close();
    await database.cleanup();
  });

  it.each([
    [300, 'split_view'],
    [600, 'inconsistent'],
  ])(
    'is caught by a witness and a follower that have seen one of them, at %i entries',
    async (size, outcome) => {
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
      const cosigned = await watching.witness.addCheckpoint(
        await first.log.offer(size === 300 ? 0 : 300, 300),
      );
      expect(cosigned.outcome).toBe('cosigned');

      const caught = await look(second.files(size)).catch((error: unknown) => error);
      expect(caught).toBeInstanceOf(LogContradiction);
      const { checkpoints } = (caught as LogContradiction).contradiction;
      expect(checkpoints.map(({ note }) => note)).toEqual([
        first.log.checkpoint(300),
        second.log.checkpoint(size),
      ]);
      const refused = await watching.witness.addCheckpoint(await second.log.offer(300, size));
      expect(refused).toEqual({ outcome });
    },
  );
});
