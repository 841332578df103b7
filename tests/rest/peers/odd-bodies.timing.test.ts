import { describe, expect, it } from 'vitest';

import { slowness } from '../../support/machine-speed.js';
import { longestTurnMs } from '../../support/turns.js';
import { setService } from '../../support/world.js';

/** Just below `server.max_body_size`. */
const BODY_BYTES = 1024 * 1024 - 1024;
const LONGEST_TURN_MS = 20;
const ROUNDS = 10;

/** As many of one kind as a body may hold. */
const many = (part: (n: number) => string, separator = ','): string => {
  const parts: string[] = [];
  for (let bytes = 0; bytes < BODY_BYTES; bytes += (parts.at(-1)?.length ?? 0) + separator.length) {
    parts.push(part(parts.length));
  }
  return parts.slice(0, -1).join(separator);
};
const ignored = (list: string): string => `{"server_keys":{},"x":[${list}]}`;
const short = (n: number): string => n.toString(36);
const server = (keyIds: number) => (n: number) =>
  `"s${n}.example":{${Array.from({ length: keyIds }, (_, k) => `"ed25519:${k}":{"minimum_valid_until_ts":1}`).join(',')}}`;

describe('a body of 1 MB that anybody may send', () => {
  const service = setService();

  it.each([
    ['objects that are ignored', ignored(many(() => '{}'))],
    ['lists within lists', ignored(many(() => '['.repeat(60) + ']'.repeat(60)))],
    ['numbers', ignored(many(() => '1'))],
    ['fractions', ignored(many(() => '1.5'))],
    ['long integers', ignored(many(() => '9'.repeat(400)))],
    ['servers', `{"server_keys":{${many((n) => `"${short(n)}":{}`)}}}`],
    [
      'servers with numbers for names',
      `{"server_keys":{${many((n) => `"${(n * 2654435761) % 2 ** 32}":{}`)}}}`,
    ],
    ['key ids', `{"server_keys":{"a.example":{${many((n) => `"${short(n)}":{}`)}}}}`],
    ['servers with a hundred key ids each', `{"server_keys":{${many(server(100))}}}`],
    ['escapes', ignored(`"${many(() => String.raw`\n`, '')}"`)],
    ['strings with escapes', ignored(many(() => String.raw`"\n\n\n\n\n\n\n\n"`))],
    ['names with escapes', `{"server_keys":{${many((n) => String.raw`"\n${short(n)}":{}`)}}}`],
  ])('%s: holds up nobody for long, and is refused where it is too much', async (_what, body) => {
    let shortest = Infinity;
    for (let round = 0; round < ROUNDS; round += 1) {
      const post = async (): Promise<void> => {
        const answer = await fetch(`${service.url}/_svc/key/v2/query`, { method: 'POST', body });
        expect(answer.status).toBeOneOf([200, 413]);
        await answer.text();
      };
      shortest = Math.min(shortest, await longestTurnMs(post));
    }
    expect(shortest).toBeLessThan(LONGEST_TURN_MS * slowness());
  });
});
