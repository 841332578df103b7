/** Server-sent events as our server writes them: a line for the name, one for the data, an empty one. */
export async function* eventsOf(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ event: string; data: string }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      // U+2028 ends no line of events, and JSON leaves it as it is.
      const [, event = '', data = ''] = /^event: (\w+)\ndata: ?(.*)$/s.exec(block) ?? [];
      yield { event, data };
    }
  }
}
