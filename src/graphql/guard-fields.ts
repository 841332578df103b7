import { isObjectType, type GraphQLField, type GraphQLObjectType, type GraphQLSchema } from 'graphql';

import { isOneOf } from '../core/base/json/is-record.js';
import { hasRole, ROLES, type Role } from '../core/access/operators/viewer.js';
import { audited, recordRefusal } from './audited.js';
import { graphqlError } from './common/graphql-errors.js';
import type { GraphqlContext } from './context.js';

/** A field as it stands in the schema. */
export type Field = GraphQLField<unknown, GraphqlContext>;

/** The one root field that anonymous clients may ask. */
const OPEN_QUERY = 'viewer';

/** The lowest role a field asks for, as `@Requires` said; `null` when it said nothing. */
export function requiredRole(field: Field): Role | null {
  const { requires } = field.extensions;
  if (requires === undefined) return null;
  if (isOneOf(ROLES, requires)) return requires;
  throw new Error(`the field ${field.name} requires something that is not a role`);
}

/**
 * Puts the rule of roles around every field and the audit around every mutation, refused ones included. It is done over
 * the finished schema, so that no resolver can be forgotten: what says nothing needs a signed-in viewer.
 */
export function guardFields(schema: GraphQLSchema): void {
  const query = schema.getQueryType();
  const mutation = schema.getMutationType();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const isRoot = type === query || type === mutation;
    for (const field of fieldsOf(type)) {
      if (type === mutation) field.resolve = audited(field);
      if (isRoot && field.name !== OPEN_QUERY) guardRoot(field, type === mutation);
      else if (!isRoot && requiredRole(field) !== null) hideBelow(field);
    }
  }
}

export function fieldsOf(type: GraphQLObjectType): Field[] {
  return Object.values(type.getFields());
}

function guardRoot(field: Field, isMutation: boolean): void {
  const role = requiredRole(field) ?? 'viewer';
  const resolve = resolverOf(field);
  field.resolve = (...call) => {
    const [, , context] = call;
    if (context.viewer === null) throw graphqlError('UNAUTHENTICATED', 'Sign in first');
    if (hasRole(context.viewer.role, role)) return resolve(...call);
    const refusal = graphqlError('FORBIDDEN', `This needs the role ${role}`, {
      requiredRole: role.toUpperCase(),
    });
    if (!isMutation) throw refusal;
    // Anonymous clients leave no entry: they could write as many as they like.
    return recordRefusal(context, field.name, role).then(() => {
      throw refusal;
    });
  };
}

function hideBelow(field: Field): void {
  const role = requiredRole(field) ?? 'viewer';
  const resolve = resolverOf(field);
  field.resolve = (...call) => {
    const [, , { viewer }] = call;
    return viewer !== null && hasRole(viewer.role, role) ? resolve(...call) : null;
  };
}

function resolverOf(field: Field): NonNullable<Field['resolve']> {
  const { resolve } = field;
  if (resolve === undefined) throw new Error(`the field ${field.name} has no resolver`);
  return resolve;
}
