import { randomInt } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LETTERS = 16;
const GRAMMAR = /^(\d{4}-\d{2}-\d{2})_([A-Za-z]{16})$/;

/** A new media id (SPEC §2.5): the UTC date in ISO 8601 form, an underscore and 16 random ASCII letters. */
export function newMediaId(nowTs: number): string {
  let letters = '';
  for (let count = 0; count < RANDOM_LETTERS; count += 1)
    letters += LETTERS.charAt(randomInt(LETTERS.length));
  return `${new Date(nowTs).toISOString().slice(0, 10)}_${letters}`;
}

/** The two parts of a media id, or `null` for any text that is none: only these parts ever reach a path. */
export function parseMediaId(text: string): { day: string; letters: string } | null {
  const [, day, letters] = GRAMMAR.exec(text) ?? [];
  return day === undefined || letters === undefined ? null : { day, letters };
}
