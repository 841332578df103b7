import { randomFillSync } from 'node:crypto';
import { closeSync, fstatSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from 'vitest';

import { runHere } from '../in-process.js';
import {
  logLines,
  makeDatabase,
  startVidimus,
  temporaryFolder,
  vidimus,
  writeConfig,
  type LogLine,
} from '../vidimus.js';
import { setUpEach } from '../../support/set-up.js';

const PAGE_BYTES = 4096;
const SENTENCE = 'The file is not an SQLite database, or damaged';
const GARBAGE = Buffer.from('a5c3963c', 'hex');

const folder = setUpEach(temporaryFolder);
let file: string;

beforeEach(async () => {
  file = join(folder.path, 'data', 'vidimus.db');
  await writeConfig(folder.path, { dns: { servers: ['127.0.0.1:1'] } });
  await makeDatabase(file);
});

/** Writes bytes that mean nothing over all behind the list of tables; always the same ones. */
function damage(): void {
  const handle = openSync(file, 'r+');
  const length = fstatSync(handle).size - PAGE_BYTES;
  writeSync(handle, Buffer.alloc(length, GARBAGE), 0, length, PAGE_BYTES);
  closeSync(handle);
}

/** Every line at warning or above says the cause and the path once, and has no stack. */
function expectPlain(lines: readonly LogLine[], sentence: string): void {
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) {
    const text = JSON.stringify(line);
    expect(text.split(file)).toHaveLength(2);
    expect(text.split(sentence)).toHaveLength(2);
    expect(text).not.toMatch(/"stack"|malformed|file is not a database/);
  }
}

const aboutStore = (text: string): LogLine[] =>
  logLines(text).filter(
    (line) => /database|data[\\/]vidimus\.db|"err"/.test(JSON.stringify(line)) && isBad(line),
  );

const isBad = ({ level }: LogLine): boolean => ['warn', 'error', 'fatal'].includes(String(level));

it('a damaged database file ends a start with one line, and every command with the same', async () => {
  damage();

  const started = await vidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });
  const listed = await runHere(['admin', 'sign-in-code', '-c', 'config.yaml'], { cwd: folder.path });

  expectPlain(aboutStore(started.stdout), SENTENCE);
  expect(aboutStore(started.stdout)).toHaveLength(1);
  for (const { code, stderr } of [started, listed]) {
    expect(code).toBe(1);
    expect(stderr.split('\n')).toHaveLength(2);
    expectPlain([{ msg: stderr }], SENTENCE);
  }
});

it('a database file that is damaged under a server: requests are 503, and each line says why', async () => {
  const running = startVidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });
  await running.log('ready');
  const url = await running.url('keys');
  damage();

  const ask = () => fetch(`${url}/_svc/key/v2/query/${Math.random().toString(36).slice(2)}.test`);
  await expect.poll(async () => (await ask()).status).toBe(503);
  running.child.kill('SIGTERM');
  const { stdout } = await running.finished;

  expectPlain(aboutStore(stdout), SENTENCE);
});

describe('a damaged lock file beside the database', () => {
  const saysWhatToDo = (): RegExp => new RegExp(`${file}-server-lock is damaged.*delete the file`);
  beforeEach(() => writeFileSync(`${file}-server-lock`, randomFillSync(Buffer.alloc(PAGE_BYTES))));

  it('ends a start with what to do', async () => {
    const { code, stderr } = await vidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });
    expect(code).toBe(1);
    expect(stderr).toMatch(saysWhatToDo());
  });
});
