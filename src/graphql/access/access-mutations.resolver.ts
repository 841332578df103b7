import { ArgsType, ID, Int, ObjectType, Resolver } from 'type-graphql';

import { hasRole } from '../../core/access/operators/viewer.js';
import { checkNewToken } from '../../core/access/users/check-new-token.js';
import { DAY_MS } from '../../core/base/clock.js';
import { nothingDeleted } from '../common/deletion.js';
import { field, nullable } from '../common/fields.js';
import { graphqlError } from '../common/graphql-errors.js';
import { ArgsMutation, mutationArgs, payloadFields, payloadOf, userError } from '../common/mutation.js';
import { DeletePayload } from '../common/payloads.type.js';
import { Requires } from '../common/requires.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { ApiToken, toApiToken, TokenScope } from './access.type.js';
import { keyOfNodeId, toNodeId } from '../common/ids.js';

@ArgsType()
class CreateApiTokenArgs extends mutationArgs({
  name: field(String, 'Name, 1 to 100 characters'),
  scopes: field([TokenScope], 'What it may do; at least one'),
  user: nullable(String, 'User whose previews it requests; only with PREVIEW'),
  expiresInDays: nullable(Int, '1 to 3650; null: it never expires'),
}) {}

@ArgsType()
class RevokeApiTokenArgs extends mutationArgs({
  id: field(ID, 'ID of the token'),
}) {}

@ArgsType()
class EndSessionArgs extends mutationArgs({
  id: nullable(ID, 'ID of the session; default: the current one'),
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
export class AccessMutations {
  @Requires('admin')
  @ArgsMutation(CreateApiTokenArgs, ApiTokenPayload, 'Creates an access token')
  async createApiToken(args: CreateApiTokenArgs, context: GraphqlContext): Promise<ApiTokenPayload> {
    const { services, audit } = context;
    const { scopes, user: userId = null, expiresInDays = null } = args;
    const label = args.name.trim();
    const detail = { scopes, expiresInDays };
    audit.about({
      targetType: 'ApiToken',
      summary: `Create the access token ${label.slice(0, 100)}`,
      detail,
    });
    const error = checkNewToken({ label, scopes, userId, expiresInDays });
    if (error !== null) return payloadOf([userError('INVALID', error.message, ARGUMENTS[error.member])]);
    const expiresTs = expiresInDays === null ? null : services.clock.now() + expiresInDays * DAY_MS;
    const wanted = { label, scopes, userId, expiresTs, createdBy: viewerOf(context).name };
    const { token: secret, info } = await services.access.tokens.create(wanted);
    const token = toApiToken(info);
    audit.about({ targetId: token.id });
    return { ...payloadOf(), token, secret };
  }

  @Requires('admin')
  @ArgsMutation(RevokeApiTokenArgs, ApiTokenPayload, 'Revokes an access token and ends its sessions at once')
  async revokeApiToken(
    { id: nodeId }: RevokeApiTokenArgs,
    { services, audit }: GraphqlContext,
  ): Promise<ApiTokenPayload> {
    const { tokens } = services.access;
    audit.about({ targetType: 'ApiToken', targetId: nodeId, summary: 'Revoke an access token' });
    const id = keyOfNodeId('ApiToken', nodeId);
    const isRevoked = id !== null && (await tokens.revoke(id));
    const info = id === null ? null : await tokens.find(id);
    if (info === null) return payloadOf([userError('NOT_FOUND', 'There is no such token', 'id')]);
    audit.about({ summary: `Revoke the access token ${info.label}` });
    const errors = isRevoked ? [] : [userError('CONFLICT', 'The token is already revoked', 'id')];
    return { ...payloadOf(errors), token: toApiToken(info) };
  }

  @ArgsMutation(EndSessionArgs, DeletePayload, 'Ends a session; others than the own one need the role ADMIN')
  async endSession({ id: wanted = null }: EndSessionArgs, context: GraphqlContext): Promise<DeletePayload> {
    const { services, audit } = context;
    const { role, sessionId } = viewerOf(context);
    const id = wanted === null ? sessionId : keyOfNodeId('AdminSession', wanted);
    const targetId = wanted ?? (sessionId === null ? null : toNodeId('AdminSession', sessionId));
    audit.about({ targetType: 'AdminSession', summary: 'End a session', targetId: targetId ?? undefined });
    if (targetId === null)
      return nothingDeleted(userError('INVALID', 'An access token has no session; give an ID', 'id'));
    if (id !== sessionId && !hasRole(role, 'admin')) {
      throw graphqlError('FORBIDDEN', 'Sessions of others need the role admin', { requiredRole: 'ADMIN' });
    }
    const isEnded = id !== null && (await services.access.sessions.end(id));
    if (!isEnded) return nothingDeleted(userError('NOT_FOUND', 'There is no such session', 'id'));
    return { ...payloadOf(), matched: 1, deleted: 1, freedBytes: 0 };
  }
}
