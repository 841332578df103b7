import {
  isObjectType,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
  type GraphQLSchema,
} from 'graphql';

import { fieldsOf, requiredRole } from './guard-fields.js';

const SCALARS: ReadonlyMap<string, string> = new Map([
  ['DateTime', 'ISO 8601 instant in UTC with milliseconds, e.g. 2026-11-20T21:13:58.000Z'],
  [
    'SafeInt',
    "Whole number within plus or minus 2^53-1. Used for byte counts, durations and protocol timestamps, which do not fit GraphQL's 32-bit Int",
  ],
  ['JSON', 'Any JSON value, exactly as stored'],
]);

/** Adds what people need to read the schema: our words for scalars, and the role that a field needs. */
export function describeSchema(schema: GraphQLSchema): void {
  for (const [name, description] of SCALARS) {
    const scalar = schema.getType(name);
    if (scalar !== undefined) scalar.description = description;
  }
  for (const field of Object.values(schema.getTypeMap()).filter(isObjectType).flatMap(fieldsOf)) {
    const role = requiredRole(field);
    if (role !== null) field.description = `${field.description ?? ''}. Needs the role ${role.toUpperCase()}`;
  }
}

/** The schema as text, sorted. Committed as web-admin/schema.graphql. */
export function schemaText(schema: GraphQLSchema): string {
  return `${print(parse(printSchema(lexicographicSortSchema(schema))))}\n`;
}
