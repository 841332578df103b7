import {
  Args,
  ArgsType,
  Ctx,
  Extensions,
  FieldResolver,
  Mutation,
  ObjectType,
  Query,
  Root,
} from 'type-graphql';

import type { Role } from '../../core/access/operators/viewer.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import type { GraphqlContext } from '../context.js';
import { UserErrorCode } from './enums.js';
import {
  field,
  nullable,
  objectFields,
  withFields,
  type Class,
  type FieldTable,
  type FieldType,
  type OptionalMembers,
  type ValueOf,
} from './fields.js';

/**
 * Lowest role that may read a field; without it every signed-in operator may. A root field is refused with
 * `FORBIDDEN`, another one (which must be nullable) is null. `guardFields` enforces it, the description of the field
 * names it.
 */
export function Requires(role: Role): MethodDecorator & PropertyDecorator {
  return Extensions({ requires: role });
}

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

/** Thrown by a mutation that has failed as expected and has nothing else to answer. */
class Refusal extends Error {
  constructor(readonly userError: UserError) {
    super(userError.message);
  }
}

/** What a mutation throws to end with one user error; its payload has nothing else. */
export function refusal(...error: Parameters<typeof userError>): Refusal {
  return new Refusal(userError(...error));
}

/** Errors of the core that a mutation answers with a user error, by their reason. */
const EXPECTED: Readonly<Record<string, [code: UserErrorCode, field: string | null]>> = {
  already_running: ['ALREADY_RUNNING', null],
  bad_pattern: ['INVALID', 'pattern'],
  count_mismatch: ['COUNT_MISMATCH', 'expectedCount'],
  count_missing: ['INVALID', 'expectedCount'],
  designated_elsewhere: ['CONFLICT', 'name'],
  needs_selection: ['INVALID', 'name'],
  not_periodic: ['INVALID', 'name'],
  unknown_job: ['NOT_FOUND', 'name'],
};

/** The user error behind what was thrown; throws it again when it is no expected failure. */
export function expectedFailure(error: unknown): UserError {
  if (error instanceof Refusal) return error.userError;
  const [code, field] = (error instanceof ApiError ? EXPECTED[error.reason ?? ''] : undefined) ?? [];
  if (code === undefined || !(error instanceof Error)) throw error;
  return userError(code, error.message, field);
}

/** What every payload has. */
interface MutationPayload {
  userErrors: UserError[];
}

/** Base of the arguments of a query, a field or a mutation. */
export function argsFields<const Table extends FieldTable>(table: Table): Class<OptionalMembers<Table>> {
  return withFields(Object, ArgsType(), table);
}

/** Base of a mutation's payload with these fields. */
export function payloadFields<const Table extends FieldTable>(
  table: Table,
): Class<MutationPayload & OptionalMembers<Table>> {
  const userErrors = field([UserError], 'Expected failures; empty on success');
  return withFields(Object, ObjectType(), { userErrors, ...table });
}

/** The member every payload has. */
export function payloadOf(userErrors: UserError[] = []): MutationPayload {
  return { userErrors };
}

/** The arguments of an operation: a class, or a table of fields. */
type Given = Class | FieldTable;
type ValuesOf<Args> = Args extends Class<infer Values> ? Values : OptionalMembers<Args>;

const marked = new Set<Class>();

function argsOf(given: Given): () => Class {
  const args = typeof given === 'function' ? given : argsFields(given);
  if (!marked.has(args)) ArgsType()(args);
  marked.add(args);
  return () => args;
}

/**
 * Makes a mutation of a method, which gets the arguments and the context, and returns the payload. For an expected
 * failure it may throw; `payload.nothing` has what the payload then needs beside `userErrors`.
 */
function mutationFor(role: Role) {
  return <const Args extends Given, Payload extends MutationPayload>(
    given: Args,
    payload: Class<Payload> & { nothing?: Partial<Payload> },
    description: string,
  ) =>
    <Method extends (given: ValuesOf<Args>, context: GraphqlContext) => Promise<Payload> | Payload>(
      resolver: object,
      name: string,
      method: TypedPropertyDescriptor<Method>,
    ): void => {
      const run = method.value;
      const value = async function answer(this: object, ...call: Parameters<Method>): Promise<unknown> {
        try {
          return await run?.apply(this, call);
        } catch (error) {
          const extra = error instanceof ApiError ? error.extra : {};
          return { ...payload.nothing, ...extra, ...payloadOf([expectedFailure(error)]) };
        }
      };
      Object.assign(method, { value });
      Args(argsOf(given))(resolver, name, 0);
      Ctx()(resolver, name, 1);
      if (role !== 'viewer') Requires(role)(resolver, name, method);
      Mutation(() => payload, { description })(resolver, name, method);
    };
}

export const ViewerMutation = mutationFor('viewer');
export const OperatorMutation = mutationFor('operator');
export const AdminMutation = mutationFor('admin');

/** What the method of a field returns. */
type Returned<Type> = ValueOf<Type> | null | Promise<ValueOf<Type> | null>;

/** Makes a query of a method, which gets the arguments and the context. */
function queryFor(options: { nullable?: boolean }) {
  return <const Args extends Given, const Type extends FieldType>(
    given: Args,
    type: Type,
    description: string,
  ) =>
    <Method extends (given: ValuesOf<Args>, context: GraphqlContext) => Returned<Type>>(
      resolver: object,
      name: string,
      method: TypedPropertyDescriptor<Method>,
    ): void => {
      Args(argsOf(given))(resolver, name, 0);
      Ctx()(resolver, name, 1);
      Query(() => type, { description, ...options })(resolver, name, method);
    };
}

export const ArgsQuery = queryFor({});
/** A query of something that may not be there. */
export const NullableQuery = queryFor({ nullable: true });

/**
 * Makes a field of a method, which gets the object, the context and, if there are any, the arguments. It runs only when
 * the field is selected.
 */
export function Detail<const Type extends FieldType>(
  type: Type,
  description: string,
  { given, ...options }: { nullable?: boolean; given?: Given } = {},
) {
  return <Method extends (item: never, context: GraphqlContext, given: never) => Returned<Type>>(
    resolver: object,
    name: string,
    method: TypedPropertyDescriptor<Method>,
  ): void => {
    Root()(resolver, name, 0);
    Ctx()(resolver, name, 1);
    if (given !== undefined) Args(argsOf(given))(resolver, name, 2);
    FieldResolver(() => type, { description, ...options })(resolver, name, method);
  };
}
