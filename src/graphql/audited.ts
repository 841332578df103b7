import type { GraphQLField } from 'graphql';

import type { AuditAction, AuditEntry } from '../core/access/operators/audit.js';
import { isCancelled } from '../core/base/deadline.js';
import { isRecord, valueAt } from '../core/base/json/is-record.js';
import { viewerOf, type GraphqlContext } from './context.js';

type Field = GraphQLField<unknown, GraphqlContext>;

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
export function audited(field: Field): NonNullable<Field['resolve']> {
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
export function recordRefusal(context: GraphqlContext, action: string, role: string): Promise<void> {
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
