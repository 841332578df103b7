import { randomBytes } from 'node:crypto';

import type { AuditLog } from '../../core/access/operators/audit.js';
import type { OwnKeyChange } from '../../core/notary/own-keys/own-keys.js';

/** Writes down what a start found changed about our own keys, whoever changed the file. */
export function auditKeyChanges(auditLog: AuditLog): (changes: readonly OwnKeyChange[]) => Promise<void> {
  const requestId = randomBytes(9).toString('base64url');
  return async (changes) => {
    for (const { before, after } of changes) {
      const { keyId, publicKey, state, retiredTs } = after;
      await auditLog.record({
        actor: 'start of the server',
        role: 'admin',
        method: 'command',
        action: 'changeSigningKeys',
        targetType: 'SigningKey',
        targetId: keyId,
        summary: summaryOf({ before, after }),
        outcome: 'ok',
        address: null,
        requestId,
        detail: { before: before?.state ?? null, after: state, publicKey, retiredTs },
      });
    }
  };
}

function summaryOf({ before, after: { keyId, state } }: OwnKeyChange): string {
  if (state === 'retired') return `The signing key ${keyId} is retired`;
  return before === null ? `The signing key ${keyId} is in use` : `The signing key ${keyId} is in use again`;
}
