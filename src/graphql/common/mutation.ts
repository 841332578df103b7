import { Arg, Ctx, Field, InputType, Mutation, ObjectType } from 'type-graphql';

import type { GraphqlContext } from '../context.js';
import { UserErrorCode } from './enums.js';
import {
  field,
  inputFields,
  nullable,
  objectFields,
  withFields,
  type Class,
  type FieldTable,
  type OptionalMembers,
} from './fields.js';

@ObjectType({
  description: 'An expected failure of a mutation. Unexpected ones are in the top-level errors list',
})
export class UserError extends objectFields({
  code: UserErrorCode,
  message: field(String, { description: 'For people, safe to show' }),
  field: nullable([String], {
    description: 'Path into the input, e.g. ["input","url"]. Null when the error concerns no single field',
  }),
}) {}

/** An expected failure; `field` is a path into the input without the leading `input`. */
export function userError(code: UserErrorCode, message: string, field: string | null = null): UserError {
  return { code, message, field: field === null ? null : ['input', ...field.split('.')] };
}

/** What every mutation's input holds. */
@InputType()
export class MutationInput extends inputFields({
  clientMutationId: nullable(String),
}) {}

/** What every mutation's payload holds. */
@ObjectType()
class MutationPayload {
  @Field(() => String, { nullable: true })
  clientMutationId?: string | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

/** Base of a mutation's input with these fields. */
export function mutationInputFields<const Table extends FieldTable>(
  table: Table,
): Class<MutationInput & OptionalMembers<Table>> {
  return withFields(MutationInput, InputType(), table);
}

/** Base of a mutation's payload with these fields. */
export function payloadFields<const Table extends FieldTable>(
  table: Table,
): Class<MutationPayload & OptionalMembers<Table>> {
  return withFields(MutationPayload, ObjectType(), table);
}

/** Makes a mutation of a method: it gets one input, and gives one payload. */
export function InputMutation<Input extends MutationInput, Payload extends MutationPayload>(
  input: Class<Input>,
  payload: Class<Payload>,
  description?: string,
) {
  return <Method extends (input: Input, context: GraphqlContext) => Promise<Payload> | Payload>(
    resolver: object,
    name: string,
    method: TypedPropertyDescriptor<Method>,
  ): void => {
    Arg('input', () => input)(resolver, name, 0);
    Ctx()(resolver, name, 1);
    Mutation(() => payload, description === undefined ? {} : { description })(resolver, name, method);
  };
}

/** The members every payload has: the caller's own id, and what went wrong. */
export function payloadOf(
  input: MutationInput,
  userErrors: UserError[] = [],
): { clientMutationId: string | null; userErrors: UserError[] } {
  return { clientMutationId: input.clientMutationId ?? null, userErrors };
}
