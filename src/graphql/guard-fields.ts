import { type GraphQLField, isObjectType, type GraphQLObjectType, type GraphQLSchema } from 'graphql';

import type { AuditAction, AuditEntry } from '../core/access/operators/audit.js';
import { isCancelled } from '../core/base/deadline.js';
import { isRecord, valueAt, isOneOf } from '../core/base/json/is-record.js';
import { viewerOf, type GraphqlContext } from './context.js';
import { hasRole, ROLES, type Role } from '../core/access/operators/viewer.js';
import { graphqlError } from './common/graphql-errors.js';

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

/** How a mutation ended, and why not well. */
interface Ending {
  outcome: AuditEntry['outcome'];
  failure: string | null;
}

/**
 * Writes an audit entry when a mutation has ended: `failed` when it threw or its payload holds user errors,
 * `cancelled` when it ended because its reader had gone. A mutation whose entry cannot be stored answers with an
 * error, though what it did stays done.
 */
function audited(field: Field): NonNullable<Field['resolve']> {
  const { name, resolve } = field;
  if (resolve === undefined) throw new Error(`the mutation ${name} has no resolver`);
  return async (...call) => {
    let failure: string | null = 'It ended with an error';
    try {
      const payload: unknown = await resolve(...call);
      failure = firstUserError(payload);
      return payload;
    } finally {
      await record(call[2], name, endingOf(call[2], failure));
    }
  };
}

/** Writes the entry of a mutation that a signed-in viewer's role does not allow. */
function recordRefusal(context: GraphqlContext, action: string, role: string): Promise<void> {
  return record(context, action, { outcome: 'failed', failure: `FORBIDDEN: This needs the role ${role}` });
}

function endingOf({ signal }: GraphqlContext, failure: string | null): Ending {
  if (isCancelled(signal)) return { outcome: 'cancelled', failure: null };
  return { outcome: failure === null ? 'ok' : 'failed', failure };
}

async function record(
  context: GraphqlContext,
  mutation: string,
  { outcome, failure }: Ending,
): Promise<void> {
  const viewer = viewerOf(context);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test compares the names of mutations
  const { action = mutation as AuditAction, targetType, targetId, summary, detail } = context.audit.take();
  await context.services.access.auditLog.record({
    actor: viewer.name,
    role: viewer.role,
    method: viewer.method,
    action,
    targetType: targetType ?? null,
    targetId: targetId ?? null,
    summary: summary ?? action,
    outcome,
    address: context.address,
    requestId: context.requestId,
    detail: failure === null ? (detail ?? null) : { ...detail, failure },
  });
}

/** `CODE: message` of the first expected failure of a payload; `null` when there is none. */
function firstUserError(payload: unknown): string | null {
  const first = valueAt(payload, ['userErrors', 0]);
  return isRecord(first) ? `${String(first['code'])}: ${String(first['message'])}` : null;
}
