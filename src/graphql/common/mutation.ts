import { Field, InputType, ObjectType } from 'type-graphql';

import { UserErrorCode } from './enums.js';

@ObjectType({
  description: 'An expected failure of a mutation. Unexpected ones are in the top-level errors list',
})
export class UserError {
  @Field(() => UserErrorCode)
  code!: UserErrorCode;

  @Field(() => String, { description: 'For people, safe to show' })
  message!: string;

  @Field(() => [String], {
    nullable: true,
    description: 'Path into the input, e.g. ["input","url"]. Null when the error concerns no single field',
  })
  field!: string[] | null;
}

/** An expected failure; `field` is a path into the input without the leading `input`. */
export function userError(code: UserErrorCode, message: string, field: string | null = null): UserError {
  return { code, message, field: field === null ? null : ['input', ...field.split('.')] };
}

/** Base of every mutation's input. */
@InputType()
export abstract class MutationInput {
  @Field(() => String, { nullable: true })
  clientMutationId?: string | null;
}

/** Base of every mutation's payload. */
@ObjectType()
export abstract class MutationPayload {
  @Field(() => String, { nullable: true })
  clientMutationId?: string | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

/** The members every payload has: the caller's own id, and what went wrong. */
export function payloadOf(
  input: MutationInput,
  userErrors: UserError[] = [],
): { clientMutationId: string | null; userErrors: UserError[] } {
  return { clientMutationId: input.clientMutationId ?? null, userErrors };
}
