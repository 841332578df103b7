import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';

import type { AuditAction } from '../../core/access/operators/audit.js';
import type { DeletionReport, DeletionRequest } from '../../core/operators/previews/deletions.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { JobRun, toJobRun } from '../jobs/jobs.js';
import { field, nullable, readNodeId } from './fields.js';
import { payloadFields, userError, payloadOf, refusal } from './operations.js';

@ObjectType({ description: 'Result of a deletion' })
export class DeletePayload extends payloadFields({
  matched: field(Int, 'Number of matching objects'),
  deleted: field(Int, 'Number of deleted objects; 0 if a job deletes them'),
  freedBytes: field(GraphQLSafeInt, 'Bytes freed on disk'),
  run: nullable(JobRun, 'Job run that deletes them in the background'),
}) {
  static readonly nothing = { matched: 0, deleted: 0, freedBytes: 0 };
}

interface DeletionArgs {
  filter: { ids?: readonly string[] | null };
  expectedCount?: number | null;
  dryRun: boolean;
}

/** What is deleted. */
interface DeletionKind<Filter> {
  run: (request: DeletionRequest<Filter>) => Promise<DeletionReport>;
  filter: Filter;
  targetType: string;
  /** Names in the audit log: of the mutation and of its dry run. */
  actions: readonly [AuditAction, AuditAction];
  /** In the plural. */
  noun: string;
}

const MAX_IDS = 500;
const MAX_IDS_IN_AUDIT = 100;

/** Runs a mutation that deletes what a filter lets through; expected failures become user errors. */
export async function runDeletion<Filter>(
  { filter: typed, expectedCount = null, dryRun }: DeletionArgs,
  { run: remove, filter, targetType, actions, noun }: DeletionKind<Filter>,
  context: GraphqlContext,
): Promise<DeletePayload> {
  const verb = dryRun ? 'Count' : 'Delete';
  const action = actions[dryRun ? 1 : 0];
  context.audit.about({ targetType, action, summary: `${verb} ${noun}` });
  if ((typed.ids?.length ?? 0) > MAX_IDS)
    throw refusal('TOO_MANY', `At most ${MAX_IDS} IDs at a time`, 'filter.ids');
  const { name: actor } = viewerOf(context);
  const { signal } = context;
  const report = await remove({ filter, dryRun, expectedCount, actor, signal });
  const { matched, deleted, freedBytes, error, run } = report;
  const summary = `${verb} ${matched} ${noun}`;
  const ids = typed.ids?.slice(0, MAX_IDS_IN_AUDIT).map((id) => readNodeId(id)?.key ?? id);
  const done = run === null ? { deleted } : { run: run.id };
  context.audit.about({ summary, detail: { dryRun, filter: { ...typed, ids }, ...done } });
  const errors = error === null ? [] : [userError('STORE_FAILED', error)];
  return { ...payloadOf(errors), matched, deleted, freedBytes, run: run && toJobRun(run) };
}
