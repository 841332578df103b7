import { randomBytes } from 'node:crypto';

import type { AuditEntry, AuditLog } from '../../core/access/operators/audit.js';
import type { StoredAuditLog } from '../../core/access/operators/stored-audit-log.js';
import { isRecord } from '../../core/base/json/is-record.js';
import type { OwnKeyChange } from '../../core/notary/own-keys/own-keys.js';

/** Keys of which the store has no rows, by what they sign. */
export interface KeysInUse {
  /** What audit calls them. */
  targetType: 'NotaryKeys' | 'LogKey';
  /** What they sign, in a sentence. */
  signed: string;
  /** Each with its public part; none: nothing is signed so. */
  keys: readonly string[];
}

const ACTION = 'changeSigningKeys';

/** Records in the audit what changed about our own keys since the last start. */
export function auditKeyChanges(auditLog: AuditLog): (changes: readonly OwnKeyChange[]) => Promise<void> {
  const requestId = newRequestId();
  return async (changes) => {
    for (const { before, after } of changes) {
      const { keyId, publicKey, state, retiredTs } = after;
      await auditLog.record({
        ...ofStart(requestId),
        targetType: 'SigningKey',
        targetId: keyId,
        summary: summaryOf({ before, after }),
        detail: { before: before?.state ?? null, after: state, publicKey, retiredTs },
      });
    }
  };
}

/**
 * The same of keys that are in no record of ours. What audit said of them last is what they were: once that entry is
 * too old to be kept, the next start says again which they are.
 */
export async function auditKeysInUse(
  { targetType, signed, keys }: KeysInUse,
  auditLog: Pick<StoredAuditLog, 'record' | 'latestDetail'>,
): Promise<void> {
  const latest = await auditLog.latestDetail(ACTION, targetType);
  const before = isRecord(latest) ? (latest['after'] ?? []) : [];
  const after = keys.toSorted();
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  const summary = after.length === 0 ? 'signed with no key of their own' : `signed with ${after.join(', ')}`;
  await auditLog.record({
    ...ofStart(newRequestId()),
    targetType,
    targetId: null,
    summary: `${signed} are ${summary}`,
    detail: { before, after },
  });
}

function ofStart(requestId: string): Omit<AuditEntry, 'targetType' | 'targetId' | 'summary' | 'detail'> {
  return {
    actor: 'start of the server',
    role: 'admin',
    method: 'command',
    action: ACTION,
    outcome: 'ok',
    address: null,
    requestId,
  };
}

function newRequestId(): string {
  return randomBytes(9).toString('base64url');
}

function summaryOf({ before, after: { keyId, state } }: OwnKeyChange): string {
  if (state === 'retired') return `The signing key ${keyId} is retired`;
  return before === null ? `The signing key ${keyId} is in use` : `The signing key ${keyId} is in use again`;
}
