/**
 * Makes texts of the stacks of an error and its causes, for an error that is kept: until a stack is first read, V8
 * keeps each of its frames, and with it all that was under way there, such as a request and its connection.
 */
export function materializeStacks(error: unknown): void {
  const seen = new Set<unknown>();
  for (const queue = [error]; queue.length > 0;) {
    const next = queue.pop();
    if (!(next instanceof Error) || seen.has(next)) continue;
    seen.add(next);
    void next.stack;
    queue.push(next.cause, ...(next instanceof AggregateError ? (next.errors as unknown[]) : []));
  }
}
