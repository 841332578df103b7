import type { IncomingMessage } from 'node:http';

/**
 * Headers of a message as sent, names in lower case, values in order. Node's `headersDistinct` throws for one named
 * `__proto__` before 20.20.2, 22.22.2 and 24.14.1.
 */
export function headersOf({ rawHeaders }: IncomingMessage): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    const values = headers.get(name);
    if (values === undefined) headers.set(name, [value]);
    else values.push(value);
  }
  return headers;
}
