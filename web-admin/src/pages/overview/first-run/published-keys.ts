import { isRecord } from '../../../api/is-record.js';

/** A key of ours, as the API has it. */
export interface OwnKey {
  keyId: string;
  publicKey: string;
  active: boolean;
}

/** Why a record that was read under our own name is not ours, although its signatures are right; `null`: it is. */
export function foreignRecord(published: unknown, keys: readonly OwnKey[]): string | null {
  const listed = memberOf(published, 'verify_keys');
  const keyOf = ({ keyId }: OwnKey): unknown => memberOf(memberOf(listed, keyId), 'key');
  const active = keys.filter((key) => key.active);
  if (active.length === 0) return 'No key signs here.';
  if (active.some((key) => keyOf(key) === key.publicKey)) return null;
  const ids = active.map(({ keyId }) => keyId).join(', ');
  const isOther = active.some((key) => keyOf(key) !== undefined);
  const what = isOther ? `has another key as ${ids}` : `does not list ${ids}`;
  return `The record under our name ${what}: another server answers there, with keys of its own.`;
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
