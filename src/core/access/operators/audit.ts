import type { Role, SignInMethod } from './viewer.js';

/** `cancelled`: the client left before it ended, which ended it. */
export const AUDIT_OUTCOMES = ['ok', 'failed', 'cancelled'] as const;

/** Audited operations: mutations of the API, dry runs of them, and what happens elsewhere; with their titles. */
export const AUDIT_ACTIONS = {
  acknowledgeKeyAlarm: 'Acknowledge the alarms of a server',
  addBlockRule: 'Block a pattern',
  beginKeyRotation: 'Add a signing key',
  cancelJobRun: 'Cancel a job run',
  changeSigningKeys: 'The server started with other signing keys',
  checkSettings: 'Check the configuration',
  copyDatabase: 'Copy the database',
  countMedia: 'Count media to delete',
  countPreviews: 'Count previews to delete',
  createApiToken: 'Create an access token',
  createSignInCode: 'Create a sign-in code',
  deleteKeyRecords: 'Delete key records',
  deleteMedia: 'Delete media',
  deletePreviews: 'Delete previews',
  diagnoseServer: 'Diagnose a server',
  endSession: 'End a session',
  forgetMemoryPreviews: 'Clear previews from memory',
  refreshPreviews: 'Refresh previews',
  refreshServerKeys: 'Fetch the keys of a server',
  reloadSettings: 'Reload the configuration',
  removeBlockRule: 'Remove a blocked pattern',
  retireSigningKey: 'Remove a signing key',
  revokeApiToken: 'Revoke an access token',
  runJob: 'Start a job',
  setJobPaused: 'Pause or resume a job',
  signIn: 'Sign in',
  signOut: 'Sign out',
  testWebhook: 'Test the webhook',
  tryBlockRule: 'Try to block a pattern',
  tryPreview: 'Try a preview',
} as const;
export type AuditAction = keyof typeof AUDIT_ACTIONS;

/** What an operator changed or tried to change, as it goes into the audit table. */
export interface AuditEntry {
  actor: string;
  role: Role;
  method: SignInMethod;
  action: AuditAction;
  targetType: string | null;
  targetId: string | null;
  /** One sentence for people, as an imperative: `outcome` says whether it was done. */
  summary: string;
  outcome: (typeof AUDIT_OUTCOMES)[number];
  address: string | null;
  requestId: string;
  /** JSON; never secrets. */
  detail: Readonly<Record<string, unknown>> | null;
}

/**
 * What an operation says about itself; with the name of what was done, where it is not what the operation is named for,
 * such as `countPreviews` of a dry run.
 */
export type AuditSubject = Partial<
  Pick<AuditEntry, 'action' | 'targetType' | 'targetId' | 'summary' | 'detail'>
>;

/** Collects what a mutation says about itself until its entry is written; a later word replaces an earlier one. */
export class AuditNote {
  #subject: AuditSubject = {};

  /** What it was about: target, a sentence, numbers. May be called several times. */
  about(subject: AuditSubject): void {
    this.#subject = { ...this.#subject, ...subject };
  }

  /** Returns what was said and clears it: a document may hold several mutations, run one after another. */
  take(): AuditSubject {
    const subject = this.#subject;
    this.#subject = {};
    return subject;
  }
}
