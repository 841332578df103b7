import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';

import type { AuditAction } from '../../core/access/operators/audit.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import type { Deletion } from '../../core/operators/previews/deletions.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { JobRun, toJobRun } from '../jobs/jobs.js';
import type { UserErrorCode } from './enums.js';
import { field, nullable } from './fields.js';
import { readNodeId } from './ids.js';
import { payloadFields, payloadOf, userError } from './mutation.js';

@ObjectType({ description: 'Result of a deletion' })
export class DeletePayload extends payloadFields({
  matched: field(Int, 'Number of matching objects'),
  deleted: field(Int, 'Number of deleted objects; 0 if a job deletes them'),
  freedBytes: field(GraphQLSafeInt, 'Bytes freed on disk'),
  run: nullable(JobRun, 'Job run that deletes them in the background'),
}) {}

interface DeletionArgs {
  filter: { ids?: readonly string[] | null };
  expectedCount?: number | null;
  dryRun: boolean;
}

/** What is deleted. */
export interface DeletionKind<Key, Filter> {
  deletion: Deletion<Key, Filter>;
  filter: Filter;
  targetType: string;
  /** Names in the audit log: of the mutation and of its dry run. */
  actions: readonly [AuditAction, AuditAction];
  /** In the plural. */
  noun: string;
}

const MAX_IDS = 500;
const MAX_IDS_IN_AUDIT = 100;
const CODES: Readonly<Record<string, [UserErrorCode, string | null]>> = {
  count_missing: ['INVALID', 'expectedCount'],
  count_mismatch: ['COUNT_MISMATCH', 'expectedCount'],
  already_running: ['ALREADY_RUNNING', null],
};

/** Runs a mutation that deletes what a filter lets through; expected failures become user errors. */
export async function runDeletion<Key, Filter>(
  { filter: typed, expectedCount = null, dryRun }: DeletionArgs,
  { deletion, filter, targetType, actions, noun }: DeletionKind<Key, Filter>,
  context: GraphqlContext,
): Promise<DeletePayload> {
  const verb = dryRun ? 'Count' : 'Delete';
  const action = actions[dryRun ? 1 : 0];
  context.audit.about({ targetType, action, summary: `${verb} ${noun}` });
  if ((typed.ids?.length ?? 0) > MAX_IDS)
    return nothingDeleted(userError('TOO_MANY', `At most ${MAX_IDS} IDs at a time`, 'filter.ids'));
  const { name: actor } = viewerOf(context);
  const { signal } = context;
  try {
    const report = await deletion.request({ filter, dryRun, expectedCount, actor, signal });
    const { matched, deleted, freedBytes, error, run } = report;
    const summary = `${verb} ${matched} ${noun}`;
    const ids = typed.ids?.slice(0, MAX_IDS_IN_AUDIT).map((id) => readNodeId(id)?.key ?? id);
    const detail = {
      dryRun,
      filter: { ...typed, ids },
      ...(run === null ? { deleted } : { run: run.id }),
    };
    context.audit.about({ summary, detail });
    const errors = error === null ? [] : [userError('STORE_FAILED', error)];
    return { ...payloadOf(errors), matched, deleted, freedBytes, run: run && toJobRun(run) };
  } catch (error) {
    const expected = error instanceof ApiError ? CODES[error.reason ?? ''] : undefined;
    if (expected === undefined || !(error instanceof ApiError)) throw error;
    const [code, field] = expected;
    return nothingDeleted(userError(code, error.message, field), Number(error.extra['matched'] ?? 0));
  }
}

/** A refused deletion. */
export function nothingDeleted(error: ReturnType<typeof userError>, matched = 0): DeletePayload {
  return { ...payloadOf([error]), matched, deleted: 0, freedBytes: 0 };
}
