import { ID, ObjectType } from 'type-graphql';

import { field, withFields, type Class, type FieldTable, type ObjectMembers } from './fields.js';

/** Longest id that is read; server names and addresses have at most 255 characters. */
const MAX_ID_CHARACTERS = 1000;
const FORM = /^([A-Z][A-Za-z]{0,40}):([^\0]*)$/;

/** Base of an object type that has an id and these fields. */
export function nodeFields<const Table extends FieldTable>(
  table: Table,
): Class<{ id: string } & ObjectMembers<Table>> {
  return withFields(Object, ObjectType(), { id: field(ID, 'Global ID: opaque and stable'), ...table });
}

/** The id of an object for the outside: base64url of `Type:key`. */
export function toNodeId(typeName: string, key: string | number): string {
  return Buffer.from(`${typeName}:${key}`, 'utf8').toString('base64url');
}

/** Type and key of an id; `null` for a text that `toNodeId` did not make. */
export function readNodeId(id: string): { typeName: string; key: string } | null {
  if (id.length > MAX_ID_CHARACTERS) return null;
  const text = Buffer.from(id, 'base64url').toString('utf8');
  const [, typeName, key] = FORM.exec(text) ?? [];
  if (typeName === undefined || key === undefined || toNodeId(typeName, key) !== id) return null;
  return { typeName, key };
}

/** The key of an id of one type; `null` for an id of another type or none at all. */
export function keyOfNodeId(typeName: string, id: string): string | null {
  const read = readNodeId(id);
  return read?.typeName === typeName ? read.key : null;
}

/** The same for types whose keys are row numbers. */
export function rowOfNodeId(typeName: string, id: string): number | null {
  return rowOfKey(keyOfNodeId(typeName, id) ?? '');
}

/** A row number; `null` for a text that is none. */
function rowOfKey(key: string): number | null {
  if (!/^[1-9]\d{0,9}$/.test(key)) return null;
  const row = Number(key);
  // Row numbers are 32 bits wide on PostgreSQL, which refuses a greater one with an error.
  return row <= 0x7fff_ffff ? row : null;
}
