import type { GraphQLScalarType } from 'graphql';
import { Field, ID, InputType, ObjectType } from 'type-graphql';

/** A class whose instances are made without arguments, as TypeGraphQL makes them. */
export type Class<Instance = object> = new () => Instance;

/** A scalar, a class of the schema or an enumeration. */
type NamedType = GraphQLScalarType | Class | Readonly<Record<string, string>>;

/** A named type, or a list of one. */
export type FieldType = NamedType | readonly [NamedType];

interface FieldOptions {
  description?: string;
  /** Of input only. */
  defaultValue?: unknown;
}

class FieldSpec<Type extends FieldType, IsNullable extends boolean> {
  constructor(
    readonly type: Type,
    readonly isNullable: IsNullable,
    readonly options: FieldOptions,
  ) {}
}

/** The fields of a type by name, each made by `field` or `nullable`. */
export type FieldTable = Readonly<Record<string, FieldSpec<FieldType, boolean>>>;

type ValueOfNamed<Type> = Type extends StringConstructor
  ? string
  : Type extends BooleanConstructor
    ? boolean
    : Type extends GraphQLScalarType<unknown, infer Value>
      ? unknown extends Value
        ? unknown
        : Value
      : Type extends Class<infer Instance>
        ? Instance
        : Type[keyof Type];

export type ValueOf<Type> = Type extends readonly [infer Item]
  ? readonly ValueOfNamed<Item>[]
  : ValueOfNamed<Type>;

type NullableName<Table> = {
  [Name in keyof Table]: Table[Name] extends FieldSpec<FieldType, true> ? Name : never;
}[keyof Table];

type Member<Entry> = Entry extends FieldSpec<infer Type, boolean> ? ValueOf<Type> : never;

type Members<Table> = {
  -readonly [Name in Exclude<keyof Table, NullableName<Table>>]: Member<Table[Name]>;
};

/** What resolvers give for an object: what is missing is null. */
export type ObjectMembers<Table> = Members<Table> & {
  -readonly [Name in NullableName<Table>]: Member<Table[Name]> | null;
};

/** What resolvers get as input, and give as a payload: what is missing may be left out. */
export type OptionalMembers<Table> = Members<Table> & {
  -readonly [Name in NullableName<Table>]?: Member<Table[Name]> | null;
};

/** A field with its description, and for arguments a default value. */
export function field<const Type extends FieldType>(
  type: Type,
  description: string,
  defaultValue?: unknown,
): FieldSpec<Type, false> {
  return new FieldSpec(type, false, { description, ...(defaultValue === undefined ? {} : { defaultValue }) });
}

/** A field that may be null. */
export function nullable<const Type extends FieldType>(
  type: Type,
  description: string,
): FieldSpec<Type, true> {
  return new FieldSpec(type, true, { description });
}

/**
 * Base of an object type with these fields; the types of its members follow from them:
 *
 *     class Refusal extends objectFields({
 *       url: field(String, 'Refused URL'),
 *       rule: nullable(BlockRule, 'Rule that refused it; null if it was removed'),
 *     }) {}
 *
 * A type that leads back to itself has a `@FieldResolver` there, since its class must exist before its table.
 */
export function objectFields<const Table extends FieldTable>(table: Table): Class<ObjectMembers<Table>> {
  return withFields<ObjectMembers<Table>>(Object, ObjectType(), table);
}

/** The same for an input type. */
export function inputFields<const Table extends FieldTable>(table: Table): Class<OptionalMembers<Table>> {
  return withFields<OptionalMembers<Table>>(Object, InputType(), table);
}

/**
 * A class that goes on from `base` with the fields of a table, as decorators on its members would give it. It is marked
 * as a type so that TypeGraphQL hands its fields down; nothing in the schema refers to it, so it is not part of that.
 */
export function withFields<Instance>(
  base: abstract new () => object,
  kind: ClassDecorator,
  table: FieldTable,
): Class<Instance> {
  class Fields extends base {}
  kind(Fields);
  for (const [name, entry] of Object.entries(table)) {
    const { type, isNullable, options } = entry;
    Field(() => type, { nullable: isNullable, ...options })(Fields.prototype, name);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members are those of the table
  return Fields as Class<Instance>;
}

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
export function rowOfKey(key: string): number | null {
  if (!/^[1-9]\d{0,9}$/.test(key)) return null;
  const row = Number(key);
  // Row numbers are 32 bits wide on PostgreSQL, which refuses a greater one with an error.
  return row <= 0x7fff_ffff ? row : null;
}
