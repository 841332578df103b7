import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const LOCK_MODULE = join(process.cwd(), 'scripts', 'prepare-lock.mjs');

/** Adds a line at the beginning and at the end of its turn. */
const WORKER = `
import { appendFileSync } from 'node:fs';
const { withLock } = await import(process.argv[1]);
const [, , lock, log, end, other] = process.argv;
await withLock(lock, { onWait: () => appendFileSync(log + '.waited', 'w') }, async (hold) => {
  appendFileSync(log, 'begin\\n');
  if (other) hold(Number(other));
  if (end === 'kill') process.kill(process.pid, 'SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, 20));
  appendFileSync(log, 'end\\n');
});`;

describe('the lock around the preparation of a checkout', () => {
  let folder: string;
  let lock: string;
  let log: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vidimus-lock-'));
    lock = join(folder, 'prepare.lock');
    log = join(folder, 'log');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const work = async (end = '', other = '') => {
    const args = ['--input-type=module', '-e', WORKER, LOCK_MODULE, lock, log, end, other];
    const [code] = (await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'close')) as [
      number | null,
    ];
    return code;
  };
  const turns = () => readFileSync(log, 'utf8').trim().split('\n');

  it('lets one work at a time', async () => {
    expect(await Promise.all([work(), work(), work(), work()])).toEqual([0, 0, 0, 0]);

    expect(turns()).toEqual(Array.from({ length: 4 }, () => ['begin', 'end']).flat());
    expect(existsSync(lock)).toBe(false);
  });

  it('is taken over from a killed holder, by one of several who wait', async () => {
    expect(await work('kill')).toBeNull();
    expect(existsSync(lock)).toBe(true);

    expect(await Promise.all([work(), work(), work()])).toEqual([0, 0, 0]);

    expect(turns()).toEqual(['begin', ...Array.from({ length: 3 }, () => ['begin', 'end']).flat()]);
    expect(existsSync(lock)).toBe(false);
  });

  it('stays with a process that the killed holder has started, until that ends', async () => {
    const other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 2, 2] });
    expect(await work('kill', String(other.pid))).toBeNull();

    const waiting = work();
    while (!existsSync(`${log}.waited`)) await new Promise((resolve) => setImmediate(resolve));
    expect(turns()).toEqual(['begin']);
    other.stdin?.end();

    expect(await waiting).toBe(0);
    expect(turns()).toEqual(['begin', 'begin', 'end']);
  });

  it('is taken over when nobody has owned it for a while', async () => {
    mkdirSync(lock);
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(lock, longAgo, longAgo);

    expect(await work()).toBe(0);
    expect(turns()).toEqual(['begin', 'end']);
  });

  it('is taken over after a quarter of an hour even when the number of its owner lives', async () => {
    mkdirSync(lock);
    writeFileSync(join(lock, String(process.pid)), '');
    const longAgo = new Date(Date.now() - 16 * 60_000);
    utimesSync(lock, longAgo, longAgo);

    expect(await work()).toBe(0);
    expect(turns()).toEqual(['begin', 'end']);
  });
});
