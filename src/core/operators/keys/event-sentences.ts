import { quoteForDetail } from '../../base/text/quote-for-detail.js';
import { printable } from '../../base/text/printable.js';

/** What a sentence is made of. Key IDs and details are untrusted text. */
export interface EventFacts {
  kind: string;
  keyId: string | null;
  detail: Readonly<Record<string, string>>;
}

/** What happened to the keys of a server, in one sentence for people; unknown kinds are named as they are. */
export function eventSentence(event: EventFacts): string {
  const write = SENTENCES.get(event.kind);
  return write === undefined ? event.kind.replaceAll('_', ' ') : write(event);
}

const key = ({ keyId }: EventFacts): string => `The key ${quoteForDetail(keyId ?? '')}`;

const SENTENCES: ReadonlyMap<string, (event: EventFacts) => string> = new Map([
  ['server_first_seen', ({ detail }) => `The first record was stored, with ${countedKeys(detail['keys'])}.`],
  [
    'key_added',
    (event) =>
      event.detail['state'] === 'old'
        ? `${key(event)} appeared, already retired.`
        : `${key(event)} appeared.`,
  ],
  ['key_removed', (event) => `${key(event)} is no longer listed.`],
  [
    'key_retired',
    (event) =>
      `${key(event)} was retired; it proves nothing signed after ${date(event.detail['expired_ts'])}.`,
  ],
  ['key_reinstated', (event) => `${key(event)} is in use again after it was retired.`],
  ['key_replaced', (event) => `${key(event)} was replaced by another key under the same ID.`],
  ['key_unproven', (event) => `${key(event)} is listed but did not sign the record.`],
  [
    'validity_went_backwards',
    ({ detail }) =>
      `The new record expires earlier than the one before: ${date(detail['to'])} instead of ${date(detail['from'])}.`,
  ],
  ['record_refused', ({ detail }) => `A record was refused: ${printable(detail['message'] ?? '')}.`],
  [
    'weak_key_refused',
    ({ detail }) => `A record was refused for a weak key: ${printable(detail['message'] ?? '')}.`,
  ],
  [
    'banned_key_refused',
    ({ detail }) =>
      `A record was refused for a key whose private part is known: ${printable(detail['message'] ?? '')}.`,
  ],
  ['record_deleted', ({ detail }) => `An operator deleted the record with ${countedKeys(detail['keys'])}.`],
]);

function countedKeys(count: string | undefined): string {
  return count === '1' ? '1 key' : `${count ?? 'several'} keys`;
}

const LAST_DATE_TS = 8.64e15;

function date(text: string | undefined): string {
  const ts = Number(text);
  if (text === undefined || !(Math.abs(ts) <= LAST_DATE_TS)) return text ?? 'an unknown time';
  return new Date(ts).toISOString();
}
