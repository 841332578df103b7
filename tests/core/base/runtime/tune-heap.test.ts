import { spawnSync } from 'node:child_process';

import { expect, it } from 'vitest';

import { HEAP_FLAGS } from '../../../../src/core/base/runtime/tune-heap.js';

const TUNE_HEAP = new URL('../../../../src/core/base/runtime/tune-heap.ts', import.meta.url).href;
const { stdout } = spawnSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });

it.each(HEAP_FLAGS)('V8 of this Node has the flag %s, on where it is not told', (flag) => {
  expect(defaultOf(flag.replace('--no-', ''))).toMatch(/^(?:--\S+|true)$/);
});

it('room for young objects doubles in V8 of this Node where it is not told', () => {
  expect(defaultOf('semi-space-growth-factor')).toMatch(/^(?:--semi-space-growth-factor=)?2$/);
});

it('room for young objects stays small during a start, and grows after it', () => {
  const child = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', GROWTH], {
    encoding: 'utf8',
  });
  const [during = 0, after = 0] = child.stdout.split(' ').map(Number);

  expect(child.stderr).toBe('');
  expect(during).toBeGreaterThan(0);
  expect(after).toBeGreaterThan(2 * during);
});

/** In a process whose heap nothing has grown yet: prints how much room there is with either factor, in bytes. */
const GROWTH = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { setYoungGrowth } from ${JSON.stringify(TUNE_HEAP)};
  const survivors = () => Array.from({ length: 1_000_000 }, (_, number) => ({ number }));
  const room = [1, 2].map((factor) => {
    setYoungGrowth(factor);
    globalThis['kept' + factor] = survivors();
    return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
  });
  process.stdout.write(room.join(' '));
`;

function defaultOf(name: string): string | undefined {
  return new RegExp(`^ +--(?:\\[no-\\]|no-)?${name} .*\\n.*default: (\\S+)$`, 'm').exec(stdout)?.[1];
}
