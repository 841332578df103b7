import { PassThrough } from 'node:stream';

import { expect, it } from 'vitest';

import { ProgressLine, progressText } from '../../src/cli/terminal/progress.js';

function terminal(isTTY: boolean): { stream: NodeJS.WriteStream; written: () => string } {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 40 });
  // From Node 26 on one read gives one piece.
  const written = (): string => {
    const pieces: Buffer[] = [];
    while (stream.readableLength > 0) pieces.push(stream.read() as Buffer);
    return Buffer.concat(pieces).toString('utf8');
  };
  // Only what the line uses is there.
  return { stream: stream as unknown as NodeJS.WriteStream, written };
}

it('the bar fills with the work and never is wider than the terminal', () => {
  expect(progressText({ fraction: 0, text: 'sort' }, 80)).toBe('[------------------------]   0%  sort');
  expect(progressText({ fraction: 0.5, text: 'sort' }, 80)).toBe('[############------------]  50%  sort');
  expect(progressText({ fraction: 0.999, text: '' }, 80)).toContain(' 99%');
  expect(progressText({ fraction: null, text: 'sort' }, 80)).toBe('sort');
  expect(progressText({ fraction: 1, text: 'x'.repeat(90) }, 40)).toHaveLength(39);
});

it('the line is rewritten in place on a terminal and leaves nothing behind', () => {
  const { stream, written } = terminal(true);
  const line = new ProgressLine(stream);
  line.show({ fraction: null, text: 'one' });
  line.show({ fraction: null, text: 'two' });
  line.clear();
  line.clear();

  expect(written()).toBe('\rone\u001b[K\rtwo\u001b[K\r\u001b[K');
});

it('elsewhere nothing is drawn', () => {
  const { stream, written } = terminal(false);
  const line = new ProgressLine(stream);
  line.show({ fraction: 0.5, text: 'one' });
  line.clear();

  expect(written()).toBe('');
});
