import { newRequestId } from '../../core/base/logger.js';
import type { AuditLog } from '../../core/access/operators/audit.js';
import type { OwnKeyChange } from '../../core/notary/own-keys/own-keys.js';

/** Records in the audit what changed about our own keys since the last start. */
export function auditKeyChanges(auditLog: AuditLog): (changes: readonly OwnKeyChange[]) => Promise<void> {
  const requestId = newRequestId();
  return async (changes) => {
    for (const { before, after } of changes) {
      const { keyId, publicKey, state, retiredTs } = after;
      const again = before === null ? '' : ' again';
      await auditLog.record({
        actor: 'start of the server',
        role: 'admin',
        method: 'command',
        action: 'changeSigningKeys',
        targetType: 'SigningKey',
        targetId: keyId,
        summary: `The signing key ${keyId} is ${state === 'retired' ? 'retired' : `in use${again}`}`,
        outcome: 'ok',
        address: null,
        requestId,
        detail: { before: before?.state ?? null, after: state, publicKey, retiredTs },
      });
    }
  };
}
