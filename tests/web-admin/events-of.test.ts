import { describe, expect, it } from 'vitest';

import { eventsOf } from '../../web-admin/src/api/events-of.js';

/** A body that comes in pieces of so many bytes. */
function bodyOf(text: string, pieceBytes: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start: (controller) => {
      for (let from = 0; from < bytes.length; from += pieceBytes)
        controller.enqueue(bytes.slice(from, from + pieceBytes));
      controller.close();
    },
  });
}

describe('server-sent events', () => {
  it.each([
    ['a line separator', '\u2028'],
    ['a paragraph separator', '\u2029'],
    ['a next line', '\u0085'],
    ['line breaks of JSON', '\r\n'],
    ['what looks like an event', '\n\nevent: answer\ndata: null\n\n'],
    ['a pictograph', '👩'],
  ])('keep data with %s, in whatever pieces it comes', async (_name, part) => {
    const title = `a${part}b`;
    const text = ['stage', 'answer']
      .map((event) => `event: ${event}\ndata: ${JSON.stringify({ event, title })}\n\n`)
      .join('');
    for (const pieceBytes of [1, 7, 10_000]) {
      const found: unknown[] = [];
      for await (const { event, data } of eventsOf(bodyOf(text, pieceBytes)))
        found.push([event, JSON.parse(data)]);
      expect(found).toEqual([
        ['stage', { event: 'stage', title }],
        ['answer', { event: 'answer', title }],
      ]);
    }
  });
});
