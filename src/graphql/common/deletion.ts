import { ApiError } from '../../core/base/errors/api-error.js';
import type {
  BulkDeletion,
  DeletionReport,
  DeletionRequest,
  Selection,
} from '../../core/operators/media/bulk-deletion.js';
import type { DeletedDetail } from '../../core/operators/media/deleted-names.js';
import { toJobRun } from '../jobs/job-run.type.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import type { UserErrorCode } from './enums.js';
import { payloadOf, userError, type UserError } from './mutation.js';
import type { DeletePayload } from './payloads.type.js';

/** Arguments of mutations that delete by ids or by filter. */
export interface DeletionInput {
  ids?: readonly string[] | null;
  filter?: object | null;
  expectedCount?: number | null;
  dryRun: boolean;
}

/** How ids and filter are read, and ids written. */
export interface DeletionKind<Key, Filter> {
  deletion: BulkDeletion<Key, Filter>;
  readFilter: () => Filter;
  readId: (id: string) => Key | null;
  writeId: (key: Key) => string;
  /** Name of the mutation, and of its dry run. */
  action: string;
  countAction: string;
  /** In the plural. */
  noun: string;
}

const MAX_IDS = 500;
const CODES: Readonly<Record<string, [UserErrorCode, string]>> = {
  count_missing: ['INVALID', 'expectedCount'],
  count_mismatch: ['COUNT_MISMATCH', 'expectedCount'],
  already_running: ['ALREADY_RUNNING', ''],
};

/** Runs a mutation that deletes by ids or by filter: what is expected to go wrong becomes user errors. */
export async function runDeletion<Key, Filter>(
  input: DeletionInput,
  kind: DeletionKind<Key, Filter>,
  context: GraphqlContext,
): Promise<DeletePayload> {
  const selection = selectionOf(input, kind);
  if ('code' in selection) return refused(selection, 0);
  const { dryRun } = input;
  if (dryRun) context.audit.about({ action: kind.countAction });
  const request: DeletionRequest<Key, Filter> = {
    selection,
    dryRun,
    expectedCount: input.expectedCount ?? null,
    actor: viewerOf(context).name,
    onRunEnd: (deleted) => auditRunEnd(context, kind, deleted),
    signal: context.signal,
  };
  try {
    const report = await kind.deletion.request(request);
    const summary = `${dryRun ? 'Counted' : 'Deleted'} ${report.matched} ${kind.noun}`;
    context.audit.about({ summary, detail: detailOf(input, report) });
    const errors = report.error === null ? [] : [userError('STORE_FAILED', report.error)];
    return {
      ...payloadOf(errors),
      matched: report.matched,
      deletedIds: report.deleted.map(kind.writeId),
      freedBytes: report.freedBytes,
      run: report.run === null ? null : toJobRun(report.run),
    };
  } catch (error) {
    const [code, field] = (error instanceof ApiError && CODES[error.reason ?? '']) || [];
    if (!(error instanceof ApiError) || code === undefined) throw error;
    const matched = Number(error.extra['matched'] ?? 0);
    return refused(userError(code, error.message, field === '' ? null : (field ?? null)), matched);
  }
}

/** The entry of the mutation was written when the run began, and could not say what it would delete. */
function auditRunEnd<Key, Filter>(
  context: GraphqlContext,
  { action, noun }: DeletionKind<Key, Filter>,
  deleted: DeletedDetail,
): Promise<void> {
  const { services, requestId, address } = context;
  const { name: actor, role, method } = viewerOf(context);
  const summary = `Deleted ${deleted.deleted} ${noun} in the background`;
  const about = { targetType: null, targetId: null, summary, outcome: 'ok' as const, detail: { ...deleted } };
  return services.auditLog.record({ actor, role, method, action, address, requestId, ...about });
}

function selectionOf<Key, Filter>(
  { ids, filter }: DeletionInput,
  { readFilter, readId }: DeletionKind<Key, Filter>,
): Selection<Key, Filter> | UserError {
  const given = ids ?? null;
  if ((given === null) === ((filter ?? null) === null)) {
    return userError('INVALID', 'Give ids or a filter, and not both');
  }
  if (given === null) return { filter: readFilter() };
  if (given.length > MAX_IDS) return userError('TOO_MANY', `At most ${MAX_IDS} ids at a time`, 'ids');
  return { keys: given.map(readId).filter((key) => key !== null) };
}

function refused(error: UserError, matched: number): DeletePayload {
  return { ...payloadOf([error]), matched, deletedIds: [], freedBytes: 0, run: null };
}

function detailOf({ ids, filter, dryRun }: DeletionInput, { run, names }: DeletionReport<unknown>) {
  return {
    dryRun,
    ...(ids === undefined || ids === null ? { filter: { ...filter } } : { ids: ids.length }),
    ...(run === null ? {} : { run: run.id }),
    ...names,
  };
}
