import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { BufferedLogDestination } from '../../../../src/core/base/runtime/buffered-log-destination.js';

let folder: string;
const open = new Set<number>();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vidimus-lines-'));
});
afterEach(() => {
  for (const fd of open) closeSync(fd);
  open.clear();
  rmSync(folder, { recursive: true, force: true });
});

function opened(path: string, flags: number): number {
  const fd = openSync(path, flags, 0o600);
  open.add(fd);
  return fd;
}

const writerTo = (fd: number, gatherCharacters = 8192, isShared = false): BufferedLogDestination =>
  new BufferedLogDestination({ fd, gatherCharacters, intervalMs: 3_600_000, isShared });

/** A pipe as standard output is one: it takes some 64 kB that nobody has read. */
function openPipe(): { readEnd: number; writeEnd: number } {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const readEnd = opened(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { readEnd, writeEnd: opened(path, constants.O_WRONLY | constants.O_NONBLOCK) };
}

function readAvailable(fd: number): string {
  const buffer = Buffer.alloc(64 * 1024);
  let text = '';
  for (;;) {
    try {
      const bytes = readSync(fd, buffer);
      if (bytes === 0) return text;
      text += buffer.toString('latin1', 0, bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return text;
      throw error;
    }
  }
}

/** All that can be read until something has ended. */
async function readUntil(ending: Promise<void>, fd: number): Promise<string> {
  const state = { isOver: false };
  const ended = ending.then(() => (state.isOver = true));
  let text = '';
  while (!state.isOver) {
    text += readAvailable(fd);
    await nextTurn();
  }
  await ended;
  return text + readAvailable(fd);
}

const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index}\n`);

describe('the writer of log lines', () => {
  it('writes gathered lines in their order, the last ones at the end', async () => {
    const path = join(folder, 'log');
    const writer = writerTo(opened(path, constants.O_CREAT | constants.O_WRONLY));
    const all = lines(20_000);
    for (const line of all) writer.write(line);
    expect(readFileSync(path, 'latin1').length).toBeLessThan(all.join('').length);

    await writer.end();

    expect(readFileSync(path, 'latin1')).toBe(all.join(''));
  });

  it('writes each line at once where nothing is to be gathered', () => {
    const path = join(folder, 'log');
    const writer = writerTo(opened(path, constants.O_CREAT | constants.O_WRONLY), 0);
    writer.write('one\n');

    expect(readFileSync(path, 'latin1')).toBe('one\n');
    writer.flush();
  });

  it('keeps what a full pipe does not take until it is read', async () => {
    const { readEnd, writeEnd } = openPipe();
    const writer = writerTo(writeEnd);
    const all = lines(30_000);
    for (const line of all) writer.write(line);

    expect(await readUntil(writer.end(), readEnd)).toBe(all.join(''));
  });

  it('mixes no lines with those of another process on the same pipe, however full it is', async () => {
    const { readEnd, writeEnd } = openPipe();
    const [first, second] = [writerTo(writeEnd, 8192, true), writerTo(writeEnd, 8192, true)];
    const all = lines(20_000);
    for (const line of all) first.write(line);
    const whatFitted = readAvailable(readEnd);
    for (const line of all) second.write(line);

    const ended = Promise.all([first.end(), second.end()]).then(() => undefined);
    const written = whatFitted + (await readUntil(ended, readEnd));
    expect(written.split('\n').toSorted()).toEqual(
      [...all, ...all, ''].map((line) => line.trim()).toSorted(),
    );
  });

  it('tries a pipe that took nothing again only when as much was gathered again', async () => {
    const { readEnd, writeEnd } = openPipe();
    const writer = writerTo(writeEnd);
    const all = lines(30_000);
    for (const line of all) writer.write(line);
    const taken = readAvailable(readEnd);

    writer.write('one more\n');
    expect(readAvailable(readEnd)).toBe('');
    for (const line of lines(1000)) writer.write(line);
    expect(readAvailable(readEnd)).not.toBe('');

    expect(taken).not.toBe('');
    await readUntil(writer.end(), readEnd);
  });

  it('flushes what fits, and gives up on a reader that does not read within two seconds', () => {
    const { readEnd, writeEnd } = openPipe();
    const writer = writerTo(writeEnd);
    for (const line of lines(30_000)) writer.write(line);
    const startMs = performance.now();

    writer.flush();

    expect(performance.now() - startMs).toBeLessThan(2000);
    expect(lines(30_000).join('')).toContain(readAvailable(readEnd));
  });

  it('drops lines rather than grow without bound, and tells how many', async () => {
    const { readEnd, writeEnd } = openPipe();
    const writer = writerTo(writeEnd);
    const long = `${'x'.repeat(999)}\n`;
    for (let count = 0; count < 10_000; count += 1) writer.write(long);
    const text = await readUntil(writer.end(), readEnd);

    const written = text.split('\n').filter((line) => line === long.trimEnd()).length;
    const told = text.split('\n').find((line) => line.startsWith('{')) ?? '{}';
    expect(JSON.parse(told)).toMatchObject({ level: 'warn', lines: 10_000 - written });
    expect(written).toBeLessThan(9000);
  });

  it('goes on without a reader, and ends at once', async () => {
    const { readEnd, writeEnd } = openPipe();
    const writer = writerTo(writeEnd, 0);
    open.delete(readEnd);
    closeSync(readEnd);

    const startMs = performance.now();
    writer.write('one\n');
    writer.write('two\n');
    writer.flush();
    await writer.end();

    expect(performance.now() - startMs).toBeLessThan(1000);
  });

  it('goes on with a full disk, and ends at once', async () => {
    const writer = writerTo(opened('/dev/full', constants.O_WRONLY));
    for (const line of lines(5000)) writer.write(line);
    const startMs = performance.now();

    writer.flush();
    await writer.end();

    expect(performance.now() - startMs).toBeLessThan(1000);
  });
});
