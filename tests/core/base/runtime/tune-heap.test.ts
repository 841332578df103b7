import { spawnSync } from 'node:child_process';

import { expect, it } from 'vitest';

import { HEAP_FLAGS } from '../../../../src/core/base/runtime/tune-heap.js';

it.each(HEAP_FLAGS)('V8 of this Node has the flag %s, on where it is not told', (flag) => {
  const { stdout } = spawnSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  const name = flag.replace('--no-', '');
  const [, isOn] =
    new RegExp(`^ +--(?:\\[no-\\]|no-)?${name} .*\\n.*default: (\\S+)$`, 'm').exec(stdout) ?? [];

  expect(isOn).toMatch(/^(?:--\S+|true)$/);
});
