/** A large answer as its parts in order; those of records are shared with the cache. */
export interface AnswerParts {
  readonly parts: readonly Buffer[];
  /** All of them together. */
  readonly bytes: number;
}

/** Bytes of `{"server_keys": [...]}`: in one piece up to `LARGE_ANSWER_BYTES`, else in parts. */
export type KeyAnswer = Buffer | AnswerParts;

/** A record whose bytes in an answer can be had. */
interface AnswerRecord {
  element(): Buffer;
}

/** Larger answers are not copied for each request. */
export const LARGE_ANSWER_BYTES = 1024 * 1024;

const OPENING = Buffer.from('{"server_keys":[');
const COMMA = 0x2c;
const SEPARATOR = Buffer.from([COMMA]);
const CLOSING = Buffer.from(']}');

/**
 * `{"server_keys": [...]}` with every record once (SPEC §4.4.7); a stale record is better than none. Written in one
 * piece, because for a hundred servers this is most of the work.
 */
export function renderAnswer(records: readonly AnswerRecord[]): KeyAnswer {
  const elements: Buffer[] = [];
  let length = OPENING.length + CLOSING.length;
  for (const record of records) {
    const element = record.element();
    elements.push(element);
    length += element.length + 1;
  }
  const bytes = elements.length === 0 ? length : length - 1;
  return bytes > LARGE_ANSWER_BYTES ? inParts(elements, bytes) : inOnePiece(elements, bytes);
}

function inOnePiece(elements: readonly Buffer[], bytes: number): Buffer {
  const answer = Buffer.allocUnsafe(bytes);
  answer.set(OPENING, 0);
  let at = OPENING.length;
  for (const element of elements) {
    if (at > OPENING.length) answer[at++] = COMMA;
    answer.set(element, at);
    at += element.length;
  }
  answer.set(CLOSING, at);
  return answer;
}

function inParts(elements: readonly Buffer[], bytes: number): AnswerParts {
  const parts = elements.flatMap((element) => [SEPARATOR, element]);
  parts[0] = OPENING;
  parts.push(CLOSING);
  return { parts, bytes };
}
