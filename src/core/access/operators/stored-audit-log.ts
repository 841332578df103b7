import { AUDIT_ACTIONS, AUDIT_OUTCOMES, type AuditAction, type AuditEntry } from './audit.js';
import { ROLES, SIGN_IN_METHODS } from './viewer.js';
import { enumColumn } from '../../store/enum-column.js';
import { isKeyOf } from '../../base/json/is-record.js';
import type { Clock } from '../../base/clock.js';
import type { Database } from '../../store/db.js';
import { newestFirst } from '../../store/lists/keyset-cursor.js';
import { anyContains, timeRange, type FilterTime } from '../../store/lists/keyset-filter.js';
import { type Listing, RecordList } from '../../store/lists/record-list.js';
import { storableJsonText, storableText } from '../../base/text/strings.js';

export interface AuditEvent extends Omit<AuditEntry, 'detail'> {
  id: number;
  ts: number;
  detail: unknown;
}

/** Which entries; all conditions hold. */
export interface AuditFilter {
  /** Anywhere in the sentence, the actor, the operation, the target or the request id; case does not matter. */
  search?: string | null;
  actor?: string | null;
  action?: AuditAction | null;
  outcome?: string | null;
  /** Without sign-ins, tries, dry runs and exports, which change nothing. */
  changesOnly?: boolean | null;
  after?: FilterTime;
  before?: FilterTime;
}

const SEARCHED = ['summary', 'actor', 'action', 'targetId', 'requestId'];
/** Operations that leave everything as it was; a try may store a preview, as any client makes one. */
const CHANGE_NOTHING: readonly AuditAction[] = [
  'signIn',
  'signOut',
  'tryPreview',
  'tryBlockRule',
  'diagnoseServer',
  'countPreviews',
  'countMedia',
  'checkSettings',
  'testWebhook',
];
const MAX_TEXT_LENGTH = 1000;
const actionOf = (text: string): AuditAction => (isKeyOf(AUDIT_ACTIONS, text) ? text : 'checkSettings');
const roleOf = enumColumn(ROLES, 'viewer');
const methodOf = enumColumn(SIGN_IN_METHODS, 'command');
const outcomeOf = enumColumn(AUDIT_OUTCOMES, 'failed');

/** The audit table. Entries are added, and deleted when they are old; triggers refuse anything else. */
export class StoredAuditLog extends RecordList<AuditFilter, number, AuditEvent> {
  constructor(
    private readonly store: Database,
    private readonly clock: Clock,
  ) {
    super(store, {
      listing: (filter) => listingOf(filter, store.engine),
      find: (ids) => findEvents(store, ids),
      keyOf: ({ id }) => id,
    });
  }

  /** Rejects when the entry could not be stored. */
  async record({ detail, ...entry }: AuditEntry): Promise<void> {
    await this.store.client.auditEvent.create({
      data: {
        ...entry,
        ts: BigInt(this.clock.now()),
        actor: textOf(entry.actor),
        summary: textOf(entry.summary),
        targetId: entry.targetId === null ? null : textOf(entry.targetId),
        requestId: textOf(entry.requestId),
        // Through JSON: what is not a JSON value, such as undefined, is not stored.
        ...(detail === null ? {} : { detail: JSON.parse(storableJsonText(detail)) }),
      },
    });
  }

  /** Deletes at most `limit` entries made before a time; resolves to how many. The database refuses young ones. */
  async prune(beforeTs: number, limit: number): Promise<number> {
    const where = { ts: { lt: BigInt(beforeTs) } };
    return (await this.store.client.auditEvent.deleteMany({ where, limit })).count;
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

function listingOf(filter: AuditFilter, engine: Database['engine']): Listing {
  const { search, actor, action, outcome, changesOnly, after, before } = filter;
  return {
    ...newestFirst('auditEvent'),
    conditions: [
      timeRange('ts', after, before),
      typeof actor === 'string' && { where: { actor: storableText(actor) }, servedBy: ['id'] },
      action && { where: { action: storableText(action) }, servedBy: ['id'] },
      outcome && { where: { outcome } },
      changesOnly === true && { where: { action: { notIn: CHANGE_NOTHING } } },
      anyContains(engine, { fields: SEARCHED }, search),
    ],
  };
}

function textOf(text: string): string {
  return storableText(text.slice(0, MAX_TEXT_LENGTH));
}
