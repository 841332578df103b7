import type { AuditEvent, StoredAuditLog } from '../../access/operators/stored-audit-log.js';
import type { Database } from '../../store/db.js';
import { storableText } from '../../base/text/storable-text.js';
import type { BlockHit, BlockHits } from '../blocking/block-hits.js';

/** Of each kind; a request that was refused more often says the same again. */
const MAX_ROWS = 100;

/** Rows that carry the id of one request, oldest first. */
export async function findRequestRows(
  requestId: string,
  { database, auditLog, hits }: { database: Database; auditLog: StoredAuditLog; hits: BlockHits },
): Promise<{ audit: AuditEvent[]; refusals: BlockHit[] }> {
  const { auditEvent, blacklistHit } = database.client;
  const wanted = {
    where: { requestId: storableText(requestId) },
    select: { id: true },
    orderBy: { id: 'asc' },
    take: MAX_ROWS,
  } as const;
  const [audited, refused] = await Promise.all([auditEvent.findMany(wanted), blacklistHit.findMany(wanted)]);
  const [audit, refusals] = await Promise.all([
    auditLog.find(audited.map(({ id }) => id)),
    hits.find(refused.map(({ id }) => id)),
  ]);
  return { audit: audit.toSorted((a, b) => a.id - b.id), refusals: refusals.toSorted((a, b) => a.id - b.id) };
}
