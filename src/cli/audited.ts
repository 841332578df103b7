import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';

import {
  AuditNote,
  type AuditAction,
  type AuditEntry,
  type AuditLog,
  type AuditSubject,
} from '../core/access/operators/audit.js';

/** What a command is about to change. */
export interface AuditedAction extends AuditSubject {
  /** Name of the operation, the one of the mutation that does the same. */
  action: AuditAction;
  summary: string;
}

/**
 * Does what changes something and writes it into the audit table, `failed` when it throws. `note` takes what is only
 * known afterwards. Rejects as the work does, and when the entry cannot be stored.
 */
export async function audited<T>(
  auditLog: AuditLog,
  { action, ...subject }: AuditedAction,
  work: (note: AuditNote) => Promise<T>,
): Promise<T> {
  const note = new AuditNote();
  note.about(subject);
  let failure: string | null = 'It ended with an error';
  try {
    const result = await work(note);
    failure = null;
    return result;
  } finally {
    const entry = commandEntry({ summary: action, ...note.take(), action }, failure);
    await auditLog.record(entry);
  }
}

/** The entry of something done on the machine itself; `failure` is why it was not, `null` when it was. */
export function commandEntry(auditedAction: AuditedAction, failure: string | null): AuditEntry {
  const { action, targetType = null, targetId = null, summary, detail = null } = auditedAction;
  return {
    actor: commandActor(),
    role: 'admin',
    method: 'command',
    action,
    targetType,
    targetId,
    summary,
    outcome: failure === null ? 'ok' : 'failed',
    address: null,
    requestId: randomBytes(9).toString('base64url'),
    detail: failure === null ? detail : { ...detail, failure },
  };
}

/** Commands on this machine act as admin; the account says who ran them. */
export function commandActor(): string {
  try {
    return `command line (${userInfo().username})`;
  } catch {
    // An account without a name, as in many containers.
    return 'command line';
  }
}
