import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { builtFolder } from '../../../../src/core/store/migration-files.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { WorkerThread, type WorkerThreadOptions } from '../../../../src/core/base/worker/worker-thread.js';

type TestCalls = {
  double: { argument: number; value: number };
  fail: { argument: string; value: never };
  never: { argument: null; value: never };
  hoard: { argument: null; value: never };
  die: { argument: null; value: never };
  hash: { argument: null; value: string };
  give: { argument: null; value: { body: Uint8Array } };
  /** Bytes that the thread still has of what it gave. */
  kept: { argument: null; value: number };
  /** Ends once `release` has been called so often. */
  wait: { argument: number; value: string };
  release: { argument: null; value: number };
  spin: { argument: null; value: never };
};

const WORKER_THREAD = pathToFileURL(join(builtFolder(), 'server/core/base/worker/worker-thread.js')).href;
const PROGRAM = `
  import { parentPort } from 'node:worker_threads';
  import { createHash } from 'node:crypto';
  import { serveCalls } from '${WORKER_THREAD}';
  import { EventEmitter, once } from 'node:events';
  let released = 0;
  let given;
  const bell = new EventEmitter();
  serveCalls(parentPort, {
    double: async (n) => 2 * n,
    fail: async (code) => { throw Object.assign(new Error('no room'), { code }); },
    never: () => new Promise(() => {}),
    hoard: async () => { const kept = []; for (;;) kept.push(Array.from({ length: 10_000 }, (_, i) => ({ i }))); },
    die: async () => process.exit(3),
    spin: async () => { for (;;); },
    release: async () => { released += 1; bell.emit('released'); return released; },
    wait: async (times) => { while (released < times) await once(bell, 'released'); return 'waited'; },
    give: async (_, body) => { given = body; return { body }; },
    kept: async () => given.length,
    hash: async (_, body) => createHash('sha256').update(body).digest('hex'),
  });
`;

let folder: string;
let program: string;
let thread: WorkerThread<TestCalls>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidimus-thread-'));
  program = join(folder, 'program.mjs');
  await writeFile(program, PROGRAM);
  return () => rm(folder, { recursive: true, force: true });
});

let starts = 0;

function make(change: Partial<WorkerThreadOptions> = {}): WorkerThread<TestCalls> {
  const limits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };
  const options = { program, limits, logger: createLogger({ level: 'silent' }) };
  // As it stands, not as a copy: a member may answer differently the next time.
  return new WorkerThread(Object.defineProperties(options, Object.getOwnPropertyDescriptors(change)));
}

beforeEach(() => {
  thread = make();
});
afterEach(() => thread.close());

const DIED = { status: 500, reason: 'worker_died' };
const UNAVAILABLE = { status: 500, reason: 'worker_unavailable' };

describe('a worker thread', () => {
  it('answers any number of calls at once, each with its own value', async () => {
    const asked = Array.from({ length: 100 }, (_, index) => index);

    expect(await Promise.all(asked.map((n) => thread.call('double', n)))).toEqual(asked.map((n) => 2 * n));
  });

  it.each([0, 1, 5_000_000])('is given a body of %i bytes as it is', async (sizeBytes) => {
    const body = randomBytes(sizeBytes);
    const before = createHash('sha256').update(body).digest('hex');

    expect(await Promise.all([1, 2, 3].map(() => thread.call('hash', null, { body })))).toEqual([
      before,
      before,
      before,
    ]);
    expect(createHash('sha256').update(body).digest('hex')).toBe(before);
  });

  it('takes a body with it, and moves one that a value holds', async () => {
    const own = Buffer.from(new Uint8Array(randomBytes(3_000_000)).buffer);
    const bytes = Buffer.from(own);
    const part = Buffer.concat([own, own]).subarray(1);

    const { body } = await thread.call('give', null, { body: own, mayTake: true });
    expect(own.length).toBe(0);
    expect(bytes.equals(body)).toBe(true);
    expect(await thread.call('kept', null)).toBe(0);

    await thread.call('give', null, { body: part, mayTake: true });
    await thread.call('give', null, { body: bytes });
    expect([part.length, bytes.length]).toEqual([5_999_999, 3_000_000]);
  });

  it('passes on what an error says, and its code', async () => {
    await expect(thread.call('fail', 'ENOSPC')).rejects.toMatchObject({ message: 'no room', code: 'ENOSPC' });
  });

  it('rejects at once when the caller gives up', async () => {
    const giving = new AbortController();
    const waiting = thread.call('never', null, { signal: giving.signal });
    await thread.call('double', 1);

    giving.abort(new Error('too late'));

    await expect(waiting).rejects.toThrow('too late');
    expect(await thread.call('double', 2)).toBe(4);
  });

  it.each(['hoard', 'die'] as const)(
    'that dies (%s) fails its calls, and the next call starts another',
    async (how) => {
      const bystander = thread.call('never', null);
      const [died, beside] = await Promise.allSettled([thread.call(how, null), bystander]);

      expect(died).toMatchObject({ reason: DIED });
      expect(beside).toMatchObject({ reason: DIED });
      expect(await thread.call('double', 21)).toBe(42);
    },
  );

  it('does what is under way before it closes, and nothing afterwards', async () => {
    const waiting = thread.call('wait', 1);
    const last = thread.call('release', null);

    await thread.close();

    expect(await Promise.all([waiting, last])).toEqual(['waited', 1]);
    await expect(thread.call('double', 1)).rejects.toMatchObject(UNAVAILABLE);
  });

  it('that hangs is ended, and the next call starts another; one whose work waits is not', async () => {
    // The next call starts a thread within that, too.
    const [waiting, hanging] = [make({ maxSilenceMs: 2000 }), make({ maxSilenceMs: 2000 })];
    const waited = waiting.call('wait', 1);

    await expect(hanging.call('spin', null)).rejects.toMatchObject(DIED);
    expect(await hanging.call('double', 4)).toBe(8);
    await waiting.call('release', null);
    expect(await waited).toBe('waited');
    await Promise.all([waiting.close(), hanging.close()]);
  });

  it.each([
    [
      'what is to be done before',
      {
        prepare: () => {
          if (starts++ === 0) throw new Error('no');
        },
      },
    ],
    [
      'the start itself',
      {
        get program() {
          return starts++ === 0 ? 'no-path' : program;
        },
      },
    ],
    [
      'a program that is not there',
      {
        get program() {
          return starts++ === 0 ? join(folder, 'gone.mjs') : program;
        },
      },
    ],
  ])('is started again after %s failed', async (_what, change) => {
    starts = 0;
    const late = make(change);

    await expect(late.call('double', 1)).rejects.toMatchObject(UNAVAILABLE);
    expect(await late.call('double', 1)).toBe(2);
    await late.close();
  });
});
