import { GraphQLJSON } from 'graphql-scalars';
import { ArgsType, ID, InputType, ObjectType } from 'type-graphql';

import type { AdminSessionInfo } from '../../core/access/operators/session-store.js';
import type {
  AuditEvent as CoreAuditEvent,
  AuditFilter as CoreFilter,
} from '../../core/access/operators/stored-audit-log.js';
import type { AuditAction as CoreAction } from '../../core/access/operators/audit.js';
import type { AccessTokenInfo, TokenScope as CoreScope } from '../../core/access/users/access-token-store.js';
import { connectionOf } from '../common/connection.js';
import { withDates } from '../common/dates.js';
import { Role, RunOutcome, SignInMethod, wordsEnum } from '../common/enums.js';
import { field, inputFields, nullable } from '../common/fields.js';
import { forwardArgs } from '../common/page-args.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { nodeFields, toNodeId } from '../common/ids.js';

export const TokenScope = wordsEnum<CoreScope>('TokenScope', 'What a token may do', {
  preview: 'Request previews',
  admin_read: 'Read this API, as a viewer',
  admin_operate: 'Use this API as an operator',
  admin_write: 'Use this API as an admin',
  metrics: 'Read metrics',
});

@ObjectType({ description: 'An access token, without its secret' })
export class ApiToken extends nodeFields({
  name: field(String, 'Name, also shown in the audit log'),
  hint: field(String, 'First characters of the secret'),
  scopes: field([TokenScope], 'What it may do'),
  user: nullable(String, 'User whose previews it requests; null for other scopes'),
  createdAt: field(Date, 'When it was created'),
  createdBy: field(String, 'Who created it'),
  expiresAt: nullable(Date, 'When it expires; null: never'),
  lastUsedAt: nullable(Date, 'When it was last used; null: never'),
  revokedAt: nullable(Date, 'When it was revoked; null if it was not'),
}) {}

export const ApiTokenConnection = connectionOf('ApiToken', () => ApiToken);

@ObjectType({ description: 'A signed-in browser' })
export class AdminSession extends nodeFields({
  actor: field(String, 'Who signed in'),
  method: field(SignInMethod, 'How they signed in'),
  createdAt: field(Date, 'When they signed in'),
  lastSeenAt: field(Date, 'Time of the latest request'),
  expiresAt: field(Date, 'When it expires'),
  address: nullable(String, 'Network address of the browser'),
  userAgent: nullable(String, 'User-Agent of the browser'),
  isCurrent: field(Boolean, 'Whether this request belongs to it'),
}) {}

export const AuditAction = wordsEnum<CoreAction>('AuditAction', 'Audited operations', {
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
  revealUrl: 'Reveal a full URL',
  revokeApiToken: 'Revoke an access token',
  runJob: 'Start a job',
  setJobPaused: 'Pause or resume a job',
  signIn: 'Sign in',
  signOut: 'Sign out',
  testWebhook: 'Test the webhook',
  tryBlockRule: 'Try to block a pattern',
  tryPreview: 'Try a preview',
});

@ObjectType({
  description: 'An entry of the audit log: what somebody changed or tried to change',
})
export class AuditEvent extends nodeFields({
  at: field(Date, 'When it ended'),
  actor: field(String, 'Who did it'),
  role: field(Role, 'Role at that time'),
  method: field(SignInMethod, 'How they had authenticated'),
  action: field(AuditAction, 'The operation'),
  targetType: nullable(String, 'Type of the object; null for several objects or none'),
  targetId: nullable(ID, 'ID of the object'),
  summary: field(String, 'The operation in one sentence, as an imperative: it may have failed'),
  outcome: field(RunOutcome, 'OK, FAILED or CANCELLED'),
  address: nullable(String, 'Network address of the client'),
  requestId: field(String, 'ID of the request'),
  detail: nullable(GraphQLJSON, 'Numbers, filters, values before and after'),
}) {}

export const AuditEventConnection = connectionOf('AuditEvent', () => AuditEvent);

@InputType({ description: 'Filter of the audit log' })
class AuditFilter extends inputFields({
  search: nullable(String, 'Part of the sentence, actor, target or request ID'),
  actor: nullable(String, 'Who did it'),
  action: nullable(AuditAction, 'The operation'),
  outcome: nullable(RunOutcome, 'OK, FAILED or CANCELLED'),
  changesOnly: nullable(Boolean, 'Without sign-ins, trials, diagnoses and dry runs'),
  after: nullable(Date, 'Not before this time'),
  before: nullable(Date, 'Before this time'),
}) {}

@ArgsType()
export class AuditEventsArgs extends forwardArgs({
  filter: nullable(AuditFilter, 'Conditions; all must hold'),
}) {}

export function toApiToken(info: AccessTokenInfo): ApiToken {
  return { ...withDates(info), id: toNodeId('ApiToken', info.id), name: info.label, user: info.userId };
}

/** `currentId` is the session of the request, `null` without one. */
export function toSession(session: AdminSessionInfo, currentId: string | null): AdminSession {
  const { id } = session;
  return { ...withDates(session), id: toNodeId('AdminSession', id), isCurrent: id === currentId };
}

export function toAuditEvent(event: CoreAuditEvent, context: GraphqlContext): AuditEvent {
  const detail = context.services.privacy.auditDetail(viewerOf(context).role, event.detail);
  return { ...withDates(event), id: toNodeId('AuditEvent', event.id), detail };
}

export function toAuditFilter({ after, before, ...rest }: AuditFilter): CoreFilter {
  return { ...rest, afterTs: after?.getTime() ?? null, beforeTs: before?.getTime() ?? null };
}
