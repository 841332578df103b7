import { AUDIT_ACTIONS, AUDIT_OUTCOMES, type AuditAction, type AuditEntry, type AuditLog } from './audit.js';
import { ROLES, SIGN_IN_METHODS } from './viewer.js';
import { enumColumn } from '../../store/enum-column.js';
import type { Clock } from '../../base/clock.js';
import type { Database } from '../../store/db.js';
import { newestFirst } from '../../store/lists/keyset-cursor.js';
import type { KeysetListing } from '../../store/lists/keyset-walk.js';
import { RecordList } from '../../store/lists/record-list.js';
import { containsPattern, listOf, sql, type Sql } from '../../store/sql/sql.js';
import { storableJsonText, storableText } from '../../base/text/storable-text.js';

export interface AuditEvent extends Omit<AuditEntry, 'detail'> {
  id: number;
  ts: number;
  detail: unknown;
}

/** Which entries; all conditions hold. Times are POSIX ms. */
export interface AuditFilter {
  /** Anywhere in the sentence, the actor, the operation, the target or the request id; case does not matter. */
  search?: string | null;
  actor?: string | null;
  action?: AuditAction | null;
  outcome?: string | null;
  /** Without sign-ins, tries, dry runs and exports, which change nothing. */
  changesOnly?: boolean | null;
  afterTs?: number | null;
  beforeTs?: number | null;
}

/** What conditions look at. */
const COLUMNS = ['ts', 'actor', 'action', 'target_id', 'summary', 'outcome', 'request_id'];
/** Operations that leave everything as it was; a try may store a preview, as any client makes one. */
const CHANGE_NOTHING: readonly AuditAction[] = [
  'signIn',
  'signOut',
  'tryPreview',
  'tryBlockRule',
  'revealUrl',
  'diagnoseServer',
  'countPreviews',
  'countMedia',
  'checkSettings',
  'testWebhook',
  'exportAudit',
];
const MAX_TEXT_LENGTH = 1000;
const actionOf = enumColumn(AUDIT_ACTIONS, 'start');
const roleOf = enumColumn(ROLES, 'viewer');
const methodOf = enumColumn(SIGN_IN_METHODS, 'command');
const outcomeOf = enumColumn(AUDIT_OUTCOMES, 'failed');

/** The audit table. Entries are added, and deleted when they are old; triggers refuse anything else. */
export class StoredAuditLog extends RecordList<AuditFilter, number, AuditEvent> implements AuditLog {
  constructor(
    private readonly store: Database,
    private readonly clock: Clock,
  ) {
    super(store, {
      listing: listingOf,
      readKey: Number,
      find: (ids) => findEvents(store, ids),
      keyOf: ({ id }) => id,
    });
  }

  /** See `AuditLog`. */
  async record({ detail, ...entry }: AuditEntry): Promise<void> {
    await this.store.client.auditEvent.create({
      data: {
        ...entry,
        ts: BigInt(this.clock.now()),
        actor: textOf(entry.actor),
        summary: textOf(entry.summary),
        targetId: entry.targetId === null ? null : textOf(entry.targetId),
        requestId: textOf(entry.requestId),
        // Through JSON: what is no JSON value, such as undefined, is not stored.
        ...(detail === null ? {} : { detail: JSON.parse(storableJsonText(detail)) }),
      },
    });
  }

  /** Deletes at most `limit` entries made before a time; resolves to how many. The database refuses young ones. */
  async prune(beforeTs: number, limit: number): Promise<number> {
    const { auditEvent } = this.store.client;
    const old = await auditEvent.findMany({
      where: { ts: { lt: BigInt(beforeTs) } },
      orderBy: { ts: 'asc' },
      take: limit,
      select: { id: true },
    });
    return (await auditEvent.deleteMany({ where: { id: { in: old.map(({ id }) => id) } } })).count;
  }

  /** The details of the latest entry of an operation about a kind of target; `null`: there is none. */
  async latestDetail(action: AuditAction, targetType: string): Promise<unknown> {
    const row = await this.store.client.auditEvent.findFirst({
      where: { action, targetType },
      orderBy: { id: 'desc' },
      select: { detail: true },
    });
    return row?.detail ?? null;
  }

  /** Whether an operation of this name was ever recorded. */
  async has(action: AuditAction): Promise<boolean> {
    const row = await this.store.client.auditEvent.findFirst({ where: { action }, select: { id: true } });
    return row !== null;
  }
}

async function findEvents({ client }: Database, ids: readonly number[]): Promise<AuditEvent[]> {
  const rows = await client.auditEvent.findMany({ where: { id: { in: [...ids] } } });
  return rows.map((row) => ({
    ...row,
    ts: Number(row.ts),
    action: actionOf(row.action),
    role: roleOf(row.role),
    method: methodOf(row.method),
    outcome: outcomeOf(row.outcome),
  }));
}

function listingOf({
  search,
  actor,
  action,
  outcome,
  changesOnly,
  afterTs,
  beforeTs,
}: AuditFilter): KeysetListing {
  const indexed: Sql[] = [];
  if (isGiven(actor)) indexed.push(sql`actor = ${storableText(actor)}`);
  if (isGiven(action)) indexed.push(sql`action = ${storableText(action)}`);
  const residual: Sql[] = [];
  if (isGiven(outcome)) residual.push(sql`outcome = ${outcome}`);
  if (changesOnly === true) residual.push(sql`action NOT IN (${listOf(CHANGE_NOTHING)})`);
  if (isGiven(afterTs)) residual.push(sql`ts >= CAST(${BigInt(afterTs)} AS BIGINT)`);
  if (isGiven(beforeTs)) residual.push(sql`ts < CAST(${BigInt(beforeTs)} AS BIGINT)`);
  if (isGiven(search) && search !== '') residual.push(searchIn(storableText(search)));
  return { ...newestFirst('audit_event'), columns: COLUMNS, indexed, residual };
}

function searchIn(text: string): Sql {
  const pattern = containsPattern(text.toLowerCase());
  return sql`LOWER(summary || ' ' || actor || ' ' || action || ' ' || COALESCE(target_id, '') || ' ' || request_id)
    LIKE ${pattern} ESCAPE '\\'`;
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

function textOf(text: string): string {
  return storableText(text.slice(0, MAX_TEXT_LENGTH));
}
