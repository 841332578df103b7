import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, it } from 'vitest';

import { builtFolder } from '../../../../src/core/store/migration-files.js';

const MODULE = pathToFileURL(join(builtFolder(), 'server/core/base/runtime/yield-to-main.js')).href;
const PROGRAM = `
  import { readFileSync, readdirSync } from 'node:fs';
  import { readFile } from 'node:fs/promises';
  import { yieldToMainThread } from '${MODULE}';
  await readFile('/proc/self/status');
  yieldToMainThread();
  const nice = (id) => Number(readFileSync('/proc/self/task/' + id + '/stat', 'latin1').split(') ')[1].split(' ')[16]);
  const threads = readdirSync('/proc/self/task');
  console.log(JSON.stringify({ main: nice(process.pid), others: threads.filter((id) => id !== String(process.pid)).map(nice) }));
`;

describe.runIf(process.platform === 'linux')('threads beside the main one', () => {
  it('wait when processors are short', () => {
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      encoding: 'utf8',
    });
    const { main, others } = JSON.parse(stdout) as { main: number; others: number[] };

    expect(others.length).toBeGreaterThan(4);
    expect(others).toEqual(others.map(() => Math.min(19, main + 10)));
  });
});
