import { expect, it } from 'vitest';

import { BufferPool } from '../../../../src/core/base/runtime/buffer-pool.js';

const LARGEST = 2 * 1024 * 1024;

function pixelsOf(data: Buffer): { data: Buffer } {
  return { data };
}

it('pixels stay what they are, in memory that nobody else has while they are held', () => {
  const buffers = new BufferPool(3);
  const [first, second] = [pixelsOf(Buffer.from([1, 2, 3])), pixelsOf(Buffer.from([4, 5]))];
  buffers.hold(first);
  buffers.hold(second);

  expect([...first.data]).toEqual([1, 2, 3]);
  expect([...second.data]).toEqual([4, 5]);
  expect(first.data.buffer).not.toBe(second.data.buffer);
});

it('memory given back is used again', () => {
  const buffers = new BufferPool(3);
  const first = pixelsOf(Buffer.alloc(LARGEST, 1));
  buffers.hold(first)();
  const second = pixelsOf(Buffer.from([7]));
  buffers.hold(second);

  expect(second.data.buffer).toBe(first.data.buffer);
  expect([...second.data]).toEqual([7]);
});

it('of many given back at once only some are kept', () => {
  const buffers = new BufferPool(3);
  const take = (): { memory: unknown; release: () => void } => {
    const pixels = pixelsOf(Buffer.from([0]));
    const release = buffers.hold(pixels);
    return { memory: pixels.data.buffer, release };
  };
  const before = Array.from({ length: 9 }, take);
  for (const { release } of before) release();
  const known = new Set(before.map(({ memory }) => memory));

  expect(Array.from({ length: 9 }, take).filter(({ memory }) => known.has(memory))).toHaveLength(3);
});

it('more pixels than fit stay where they are', () => {
  const data = Buffer.alloc(LARGEST + 1);
  const pixels = pixelsOf(data);
  new BufferPool(3).hold(pixels)();

  expect(pixels.data).toBe(data);
});
