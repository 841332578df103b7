import { randomInt } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LETTERS = 16;
const DAY = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const GRAMMAR = new RegExp(`^(${DAY})_([A-Za-z]{${RANDOM_LETTERS}})$`);

/** A media id as a regular expression that PCRE, RE2 and ours read alike, for proxies to tell our media by. */
export const MEDIA_ID_PATTERN = `${DAY}_[A-Za-z]{${RANDOM_LETTERS}}`;

/** One that no media has, to ask with where nothing is wanted. */
export const UNUSED_MEDIA_ID = `1970-01-01_${'A'.repeat(RANDOM_LETTERS)}`;

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

/** `<media_scheme>://<server_name>/<media_id>`, the value of `og:image` (SPEC §2.3). */
export function contentUri(scheme: string, serverName: string, mediaId: string): string {
  return `${scheme}://${serverName}/${mediaId}`;
}
