import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { loadSqliteDriver } from '../../../../src/core/store/sqlite/driver.js';
import { MediaWriters } from '../../../../src/core/preview/media/media-writers.js';
import { temporaryFolder } from '../../../cli/vidimus.js';

const PROCESS = fileURLToPath(new URL('writer-process.ts', import.meta.url));

let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const enter = async () => MediaWriters.join(folder.path, loadSqliteDriver());
const locks = () => readdirSync(folder.path);

describe('MediaWriters', () => {
  it('knows that it is alone', async () => {
    const only = await enter();

    expect(await only.isAlone()).toBe(true);
    await only.leave();
    expect(locks()).toEqual([]);
  });

  it('sees each of two that live, until one leaves', async () => {
    const [one, other] = [await enter(), await enter()];

    expect([await one.isAlone(), await other.isAlone()]).toEqual([false, false]);
    await other.leave();
    expect(await one.isAlone()).toBe(true);
    await one.leave();
  });

  it('is alone again after another process was killed, and clears its lock away', async () => {
    const only = await enter();
    const child = spawn(process.execPath, ['--import', 'tsx', PROCESS, folder.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');

    expect(await only.isAlone()).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await only.isAlone()).toBe(true);
    expect(locks()).toHaveLength(1);
    await only.leave();
  });
});
