/** A small seeded generator (mulberry32): the same numbers each run. */
export function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  '\\u005f',
  '\u0000',
  '\u2028',
  'é',
  '🔑',
  'null',
  'true',
  '0',
  '-0',
  '1.0',
  '1e3',
  '-1',
  '9007199254740993',
  '1e400',
  '"__proto__":',
  '"a":1,',
  '"signatures":{},',
  '"server_name":"x",',
  '"verify_keys":{},',
  '"valid_until_ts":1,',
  ' ',
  '\n',
  '//',
  '[[[[',
  '{"a":',
  '=',
  '==',
  'ed25519:',
  'A',
];

/** Spoils a text in one to three places: bytes changed, dropped, doubled, cut off, or tokens put in. */
export function mutate(text: Buffer, random: (below: number) => number): Buffer {
  let mutated = text;
  for (let rounds = 1 + random(3); rounds > 0; rounds -= 1) mutated = mutateOnce(mutated, random);
  return mutated;
}

function mutateOnce(text: Buffer, random: (below: number) => number): Buffer {
  const at = random(text.length + 1);
  const [before, after] = [text.subarray(0, at), text.subarray(at)];
  const length = 1 + random(20);
  switch (random(7)) {
    case 0:
      return Buffer.concat([before, Buffer.from([random(256)]), after.subarray(1)]);
    case 1:
      return Buffer.concat([before, after.subarray(length)]);
    case 2:
      return Buffer.concat([before, after.subarray(0, length), after]);
    case 3:
      return random(4) === 0 ? before : text;
    case 4:
      return Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ (1 << random(8))]), after.subarray(1)]);
    default:
      return Buffer.concat([before, Buffer.from(TOKENS[random(TOKENS.length)] ?? ''), after]);
  }
}
