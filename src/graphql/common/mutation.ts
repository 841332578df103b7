import { Args, ArgsType, Ctx, Field, Mutation, ObjectType } from 'type-graphql';

import type { GraphqlContext } from '../context.js';
import { UserErrorCode } from './enums.js';
import {
  field,
  nullable,
  objectFields,
  withFields,
  type Class,
  type FieldTable,
  type OptionalMembers,
} from './fields.js';

@ObjectType({ description: 'An expected failure of a mutation; others are top-level errors' })
export class UserError extends objectFields({
  code: field(UserErrorCode, 'Kind of failure'),
  message: field(String, 'The failure in one sentence, safe to show'),
  field: nullable([String], 'Path of the argument at fault; null if there is not exactly one'),
}) {}

/** An expected failure; `field` is the dotted path of an argument. */
export function userError(code: UserErrorCode, message: string, field: string | null = null): UserError {
  return { code, message, field: field === null ? null : field.split('.') };
}

/** What every mutation returns. */
@ObjectType()
class MutationPayload {
  @Field(() => [UserError], { description: 'Expected failures; empty on success' })
  userErrors!: UserError[];
}

/** Base of a mutation's arguments. */
export function mutationArgs<const Table extends FieldTable>(table: Table): Class<OptionalMembers<Table>> {
  return withFields(Object, ArgsType(), table);
}

/** Base of a mutation's payload with these fields. */
export function payloadFields<const Table extends FieldTable>(
  table: Table,
): Class<MutationPayload & OptionalMembers<Table>> {
  return withFields(MutationPayload, ObjectType(), table);
}

/** Makes a mutation of a method, which gets the arguments and the context, and returns the payload. */
export function ArgsMutation<Given extends object, Payload extends MutationPayload>(
  given: Class<Given>,
  payload: Class<Payload>,
  description: string,
) {
  return <Method extends (given: Given, context: GraphqlContext) => Promise<Payload> | Payload>(
    resolver: object,
    name: string,
    method: TypedPropertyDescriptor<Method>,
  ): void => {
    Args(() => given)(resolver, name, 0);
    Ctx()(resolver, name, 1);
    Mutation(() => payload, { description })(resolver, name, method);
  };
}

/** The member every payload has. */
export function payloadOf(userErrors: UserError[] = []): { userErrors: UserError[] } {
  return { userErrors };
}
