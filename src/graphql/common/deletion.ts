import type { AuditAction } from '../../core/access/operators/audit.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import type {
  BulkDeletion,
  DeletionReport,
  DeletionRequest,
  Selection,
} from '../../core/operators/media/bulk-deletion.js';
import type { DeletedDetail } from '../../core/operators/media/deleted-names.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { toJobRun } from '../jobs/job.type.js';
import { toNodeId } from '../nodes/node-id.js';
import type { UserErrorCode } from './enums.js';
import { payloadOf, userError, type UserError } from './mutation.js';
import type { DeletePayload } from './payloads.type.js';

/** Arguments of mutations that delete by ids or by filter. */
interface DeletionArgs {
  ids?: readonly string[] | null;
  filter?: object | null;
  expectedCount?: number | null;
  dryRun: boolean;
}

/** What is deleted. */
export interface DeletionKind<Key, Filter> {
  deletion: BulkDeletion<Key, Filter>;
  typeName: string;
  readFilter: () => Filter;
  readKey: (id: string) => Key | null;
  /** Names in the audit log: of the mutation and of its dry run. */
  actions: readonly [AuditAction, AuditAction];
  /** In the plural. */
  noun: string;
}

const MAX_IDS = 500;
const CODES: Readonly<Record<string, [UserErrorCode, string | null]>> = {
  count_missing: ['INVALID', 'expectedCount'],
  count_mismatch: ['COUNT_MISMATCH', 'expectedCount'],
  already_running: ['ALREADY_RUNNING', null],
};

/** Runs a mutation that deletes by ids or by filter; expected failures become user errors. */
export async function runDeletion<Key extends string | number, Filter>(
  args: DeletionArgs,
  kind: DeletionKind<Key, Filter>,
  context: GraphqlContext,
): Promise<DeletePayload> {
  const { dryRun } = args;
  const { typeName: targetType, noun, actions } = kind;
  const verb = dryRun ? 'Count' : 'Delete';
  context.audit.about({ targetType, action: actions[dryRun ? 1 : 0], summary: `${verb} ${noun}` });
  const selection = selectionOf(args, kind);
  if ('code' in selection) return refused(selection, 0);
  const request: DeletionRequest<Key, Filter> = {
    selection,
    dryRun,
    expectedCount: args.expectedCount ?? null,
    actor: viewerOf(context).name,
    onRunEnd: (deleted) => auditRunEnd(context, kind, deleted),
    signal: context.signal,
  };
  try {
    const report = await kind.deletion.request(request);
    const summary = `${verb} ${report.matched} ${noun}`;
    context.audit.about({ summary, detail: detailOf(args, report) });
    return {
      ...payloadOf(report.error === null ? [] : [userError('STORE_FAILED', report.error)]),
      matched: report.matched,
      deletedIds: report.deleted.map((key) => toNodeId(targetType, key)),
      freedBytes: report.freedBytes,
      run: report.run === null ? null : toJobRun(report.run),
    };
  } catch (error) {
    const expected = error instanceof ApiError ? CODES[error.reason ?? ''] : undefined;
    if (expected === undefined || !(error instanceof ApiError)) throw error;
    return refused(userError(expected[0], error.message, expected[1]), Number(error.extra['matched'] ?? 0));
  }
}

/** The entry of the mutation was written when the run began, before it was known what would be deleted. */
function auditRunEnd(
  context: GraphqlContext,
  { actions: [action], noun }: Pick<DeletionKind<never, never>, 'actions' | 'noun'>,
  deleted: DeletedDetail,
): Promise<void> {
  const { services, requestId, address } = context;
  const { name: actor, role, method } = viewerOf(context);
  const summary = `Delete ${deleted.deleted} ${noun} in the background`;
  const about = { targetType: null, targetId: null, summary, outcome: 'ok' as const, detail: { ...deleted } };
  return services.auditLog.record({ actor, role, method, action, address, requestId, ...about });
}

function selectionOf<Key, Filter>(
  { ids = null, filter = null }: DeletionArgs,
  { readFilter, readKey, noun }: DeletionKind<Key, Filter>,
): Selection<Key, Filter> | UserError {
  if ((ids === null) === (filter === null)) return userError('INVALID', 'Give either ids or a filter');
  if (ids === null) return { filter: readFilter() };
  if (ids.length > MAX_IDS) return userError('TOO_MANY', `At most ${MAX_IDS} IDs at a time`, 'ids');
  const keys = ids.map(readKey);
  const wrong = keys.indexOf(null);
  if (wrong !== -1)
    return userError('INVALID', `${ids[wrong]?.slice(0, 100)} is not an ID of ${noun}`, 'ids');
  return { keys: keys.filter((key) => key !== null) };
}

function refused(error: UserError, matched: number): DeletePayload {
  return { ...payloadOf([error]), matched, deletedIds: [], freedBytes: 0 };
}

function detailOf({ ids = null, filter, dryRun }: DeletionArgs, { run, names }: DeletionReport<unknown>) {
  return {
    dryRun,
    ...(ids === null ? { filter: { ...filter } } : { ids: ids.length }),
    ...(run === null ? {} : { run: run.id }),
    ...names,
  };
}
