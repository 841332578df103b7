import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLJSON } from 'graphql-scalars';
import {
  Ctx,
  FieldResolver,
  Info,
  ObjectType,
  Query,
  Resolver,
  Root,
  ID,
  InputType,
  Int,
} from 'type-graphql';

import { AUDIT_ACTIONS, type AuditAction as CoreAction } from '../../core/access/operators/audit.js';
import type { AuditEvent as CoreAuditEvent } from '../../core/access/operators/stored-audit-log.js';
import { hasRole } from '../../core/access/operators/viewer.js';
import {
  checkNewToken,
  type AccessTokenInfo,
  type TokenScope as CoreScope,
} from '../../core/access/users/access-token-store.js';
import { DAY_MS } from '../../core/base/clock.js';
import { connectionOf, connectionTo, forwardArgs } from '../common/connection.js';
import { withDates } from '../common/dates.js';
import { DeletePayload } from '../common/deletion.js';
import { Role, SignInMethod, RunOutcome, wordsEnum } from '../common/enums.js';
import {
  field,
  objectFields,
  inputFields,
  nullable,
  keyOfNodeId,
  nodeFields,
  toNodeId,
} from '../common/fields.js';
import { graphqlError } from '../common/graphql-errors.js';
import {
  argsFields,
  payloadFields,
  payloadOf,
  userError,
  Requires,
  refusal,
  ArgsQuery,
  ViewerMutation,
  AdminMutation,
  Detail,
} from '../common/operations.js';
import { type GraphqlContext, viewerOf } from '../context.js';
import { fieldsOf, requiredRole } from '../guard-fields.js';

@ObjectType({ description: 'Who makes this request' })
class Viewer extends objectFields({
  name: field(String, 'User ID, name of a token, or name of a sign-in code'),
  role: field(Role, 'Role'),
  method: field(SignInMethod, 'How they authenticated'),
}) {}

@Resolver(() => Viewer)
export class ViewerResolver {
  @Query(() => Viewer, {
    nullable: true,
    description: 'Who makes this request; null without a session. The only field that needs no session',
  })
  viewer(@Ctx() { viewer }: GraphqlContext): Viewer | null {
    if (viewer === null) return null;
    const { name, role, method } = viewer;
    return { name, role, method };
  }

  @Detail(String, 'How commands for this server are typed on its machine')
  program(_: Viewer, { services }: GraphqlContext): string {
    return services.program;
  }

  @FieldResolver(() => [String], { description: 'Names of the mutations that the role allows' })
  can(@Root() { role }: Viewer, @Info() { schema }: GraphQLResolveInfo): string[] {
    const mutations = schema.getMutationType();
    if (mutations === null || mutations === undefined) return [];
    return fieldsOf(mutations)
      .filter((mutation) => hasRole(role, requiredRole(mutation) ?? 'viewer'))
      .map(({ name }) => name);
  }
}

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
  scopes: field([TokenScope], 'Permissions'),
  user: nullable(String, 'User whose previews it requests; null for other scopes'),
  createdAt: field(Date, 'When it was created'),
  createdBy: field(String, 'Who created it'),
  expiresAt: nullable(Date, 'When it expires; null: never'),
  lastUsedAt: nullable(Date, 'When it was last used; null: never'),
  revokedAt: nullable(Date, 'When it was revoked; null if it was not'),
}) {}

const ApiTokenConnection = connectionOf('ApiToken', () => ApiToken);

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

export const AuditAction = wordsEnum<CoreAction>('AuditAction', 'Audited operations', AUDIT_ACTIONS);

@ObjectType({
  description: 'An entry of the audit log: a change by an operator, or an attempt',
})
export class AuditEvent extends nodeFields({
  at: field(Date, 'When it ended'),
  actor: field(String, 'Who did it'),
  role: field(Role, 'Role at that time'),
  method: field(SignInMethod, 'How they had authenticated'),
  action: field(AuditAction, 'The operation'),
  targetType: nullable(String, 'Type of the object; null for several objects or none'),
  targetId: nullable(ID, 'ID of the object'),
  summary: field(String, 'The operation as an imperative sentence; see outcome for its result'),
  outcome: field(RunOutcome, 'OK, FAILED or CANCELLED'),
  address: nullable(String, 'Network address of the client'),
  requestId: field(String, 'ID of the request'),
  detail: nullable(GraphQLJSON, 'Numbers, filters, values before and after'),
}) {}

const AuditEventConnection = connectionOf('AuditEvent', () => AuditEvent);

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

class AuditEventsArgs extends forwardArgs({
  filter: nullable(AuditFilter, 'Conditions; all must hold'),
}) {}

class TokenListArgs extends forwardArgs({
  includeRevoked: field(Boolean, 'Also revoked tokens', false),
}) {}

function toApiToken(info: AccessTokenInfo): ApiToken {
  return { ...withDates(info), id: toNodeId('ApiToken', info.id), name: info.label, user: info.userId };
}

function toAuditEvent(event: CoreAuditEvent, context: GraphqlContext): AuditEvent {
  const detail = context.services.privacy.auditDetail(viewerOf(context).role, event.detail);
  return { ...withDates(event), id: toNodeId('AuditEvent', event.id), detail };
}

class CreateApiTokenArgs extends argsFields({
  name: field(String, 'Name, 1 to 100 characters'),
  scopes: field([TokenScope], 'Permissions; at least one'),
  user: nullable(String, 'User whose previews it requests; only with PREVIEW'),
  expiresInDays: nullable(Int, '1 to 3650; null: it never expires'),
}) {}

@ObjectType({ description: 'An access token after a change' })
class ApiTokenPayload extends payloadFields({
  token: nullable(ApiToken, 'The token; null on errors'),
  secret: nullable(String, 'Secret of a new token; it is only shown once'),
}) {}

/** Arguments by the names that the check gives them. */
const ARGUMENTS = {
  label: 'name',
  scopes: 'scopes',
  userId: 'user',
  expiresInDays: 'expiresInDays',
} as const;

@Resolver()
export class AccessResolver {
  @Requires('admin')
  @Query(() => [AdminSession], { description: 'Sessions that have not ended' })
  async sessions(@Ctx() { services, viewer }: GraphqlContext): Promise<AdminSession[]> {
    const sessions = await services.access.sessions.list();
    return sessions.map((session) => ({
      ...withDates(session),
      id: toNodeId('AdminSession', session.id),
      isCurrent: session.id === viewer?.sessionId,
    }));
  }

  @Requires('admin')
  @ArgsQuery(TokenListArgs, ApiTokenConnection, 'Access tokens, newest first')
  apiTokens({ includeRevoked, ...args }: TokenListArgs, context: GraphqlContext) {
    const list = context.services.access.tokens.pages;
    return connectionTo({ list, wanted: { includeRevoked }, args }, context, toApiToken);
  }

  @Requires('operator')
  @ArgsQuery(AuditEventsArgs, AuditEventConnection, 'The audit log, newest first')
  auditEvents({ filter, ...args }: AuditEventsArgs, context: GraphqlContext) {
    const list = context.services.access.auditLog;
    return connectionTo({ list, wanted: filter ?? {}, args }, context, toAuditEvent);
  }

  @AdminMutation(CreateApiTokenArgs, ApiTokenPayload, 'Creates an access token')
  async createApiToken(args: CreateApiTokenArgs, context: GraphqlContext) {
    const { services, audit } = context;
    const { scopes, user: userId = null, expiresInDays = null } = args;
    const label = args.name.trim();
    const summary = `Create the access token ${label.slice(0, 100)}`;
    audit.about({ targetType: 'ApiToken', summary, detail: { scopes, expiresInDays } });
    const error = checkNewToken({ label, scopes, userId, expiresInDays });
    if (error !== null) throw refusal('INVALID', error.message, ARGUMENTS[error.member]);
    const expiresTs = expiresInDays === null ? null : services.clock.now() + expiresInDays * DAY_MS;
    const wanted = { label, scopes, userId, expiresTs, createdBy: viewerOf(context).name };
    const { token: secret, info } = await services.access.tokens.create(wanted);
    const token = toApiToken(info);
    audit.about({ targetId: token.id });
    return { ...payloadOf(), token, secret };
  }

  @AdminMutation(
    { id: field(ID, 'ID of the token') },
    ApiTokenPayload,
    'Revokes an access token and ends its sessions at once',
  )
  async revokeApiToken({ id: nodeId }: { id: string }, { services, audit }: GraphqlContext) {
    const { tokens } = services.access;
    audit.about({ targetType: 'ApiToken', targetId: nodeId, summary: 'Revoke an access token' });
    const id = keyOfNodeId('ApiToken', nodeId);
    const isRevoked = id !== null && (await tokens.revoke(id));
    const [info] = id === null ? [] : await tokens.findMany([id]);
    if (info === undefined) throw refusal('NOT_FOUND', 'There is no such token', 'id');
    audit.about({ summary: `Revoke the access token ${info.label}` });
    const errors = isRevoked ? [] : [userError('CONFLICT', 'The token is already revoked', 'id')];
    return { ...payloadOf(errors), token: toApiToken(info) };
  }

  @ViewerMutation(
    { id: nullable(ID, 'ID of the session; default: the current one') },
    DeletePayload,
    'Ends a session; sessions of others need the role ADMIN',
  )
  async endSession({ id: wanted = null }: { id?: string | null }, context: GraphqlContext) {
    const { services, audit } = context;
    const { role, sessionId } = viewerOf(context);
    const id = wanted === null ? sessionId : keyOfNodeId('AdminSession', wanted);
    const targetId = wanted ?? (sessionId === null ? null : toNodeId('AdminSession', sessionId));
    audit.about({ targetType: 'AdminSession', summary: 'End a session', targetId: targetId ?? undefined });
    if (targetId === null) throw refusal('INVALID', 'An access token has no session; give an ID', 'id');
    if (id !== sessionId && !hasRole(role, 'admin')) {
      throw graphqlError('FORBIDDEN', 'Sessions of others need the role admin', { requiredRole: 'ADMIN' });
    }
    const isEnded = id !== null && (await services.access.sessions.end(id));
    if (!isEnded) throw refusal('NOT_FOUND', 'There is no such session', 'id');
    return { ...payloadOf(), matched: 1, deleted: 1, freedBytes: 0 };
  }
}
