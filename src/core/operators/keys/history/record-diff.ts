import { encodeCanonicalJson } from '../../../base/json/canonical-json.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json/json-value.js';
import { KEY_CHANGE_KINDS, type KnownKey } from '../../../notary/keys/key-changes.js';
import type { SeenRecord } from './seen-record.js';

export const CHANGE_KINDS = [
  ...KEY_CHANGE_KINDS,
  'key_expiry_moved',
  'validity_moved',
  'signature_added',
  'signature_removed',
  'signature_changed',
  'member_changed',
] as const;

/** One difference between two records. */
export interface RecordChange {
  kind: (typeof CHANGE_KINDS)[number];
  /** A key ID, the signer and key ID of a signature, or the name of a member. */
  subject: string;
  /** As JSON or plain text; `null`: not there. */
  from: string | null;
  to: string | null;
}

/** Most differences that are told; a hostile record may differ in thousands. */
export const MAX_CHANGES = 200;

/** What a record says that another does not, in a stable order: keys, validity, other members, signatures. */
export function diffRecords(from: SeenRecord, to: SeenRecord): RecordChange[] {
  const changes = [
    ...keyChanges(from.keys, to.keys),
    ...difference('validity_moved', 'valid_until_ts', [from.validUntilTs, to.validUntilTs]),
    ...memberChanges(from.record, to.record),
    ...signatureChanges(from.record, to.record),
  ];
  return changes.slice(0, MAX_CHANGES);
}

type Keys = ReadonlyMap<string, KnownKey>;

function keyChanges(from: Keys, to: Keys): RecordChange[] {
  return [...new Set([...from.keys(), ...to.keys()])].toSorted().flatMap((keyId): RecordChange[] => {
    const [before, after] = [from.get(keyId), to.get(keyId)];
    if (before === undefined || after === undefined) {
      const kind = before === undefined ? 'key_added' : 'key_removed';
      return [{ kind, subject: keyId, from: before?.publicKey ?? null, to: after?.publicKey ?? null }];
    }
    return [
      ...difference('key_replaced', keyId, [before.publicKey, after.publicKey]),
      ...difference(expiryKind(before, after), keyId, [before.expiredTs, after.expiredTs]),
    ];
  });
}

function expiryKind(before: KnownKey, after: KnownKey): RecordChange['kind'] {
  if (before.expiredTs === null) return 'key_retired';
  return after.expiredTs === null ? 'key_reinstated' : 'key_expiry_moved';
}

/** Told by the other changes. */
const COMPARED = new Set(['verify_keys', 'old_verify_keys', 'valid_until_ts', 'signatures']);

function memberChanges(from: JsonObject, to: JsonObject): RecordChange[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].toSorted();
  return names
    .filter((name) => !COMPARED.has(name))
    .flatMap((name) => difference('member_changed', name, [textOf(from[name]), textOf(to[name])]));
}

function signatureChanges(from: JsonObject, to: JsonObject): RecordChange[] {
  const [before, after] = [signaturesOf(from), signaturesOf(to)];
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((subject) => {
    const pair = [before.get(subject) ?? null, after.get(subject) ?? null] as const;
    const kind =
      pair[0] === null ? 'signature_added' : pair[1] === null ? 'signature_removed' : 'signature_changed';
    return difference(kind, subject, pair);
  });
}

/** By signer and key ID. */
function signaturesOf({ signatures }: JsonObject): Map<string, string> {
  if (!isJsonObject(signatures)) return new Map();
  return new Map(
    Object.entries(signatures).flatMap(([signer, own]) =>
      isJsonObject(own)
        ? Object.entries(own).map(([keyId, value]): [string, string] => [
            `${signer} ${keyId}`,
            textOf(value) ?? '',
          ])
        : [],
    ),
  );
}

function textOf(value: JsonValue | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : encodeCanonicalJson(value);
}

type Comparable = string | number | bigint | null;

function difference(
  kind: RecordChange['kind'],
  subject: string,
  [from, to]: readonly [Comparable, Comparable],
): RecordChange[] {
  if (from === to) return [];
  return [{ kind, subject, from: from === null ? null : String(from), to: to === null ? null : String(to) }];
}
