import { Resolver } from 'type-graphql';

import { hasRole } from '../../core/access/operators/viewer.js';
import { checkNewToken } from '../../core/access/users/check-new-token.js';
import { DAY_MS } from '../../core/base/clock.js';
import { graphqlError } from '../common/graphql-errors.js';
import { ArgsMutation, payloadOf, userError } from '../common/mutation.js';
import { keyOfNodeId, toNodeId } from '../nodes/node-id.js';
import { Requires } from '../common/requires.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import {
  CreateApiTokenArgs,
  CreateApiTokenPayload,
  EndSessionArgs,
  EndSessionPayload,
  RevokeApiTokenArgs,
  RevokeApiTokenPayload,
} from './access.input.js';
import { toApiToken } from './api-token.type.js';

/** Members of the core's request → members of the input. */
const FIELDS = { label: 'name', scopes: 'scopes', userId: 'user', expiresInDays: 'expiresInDays' } as const;

/** Letting people and scripts in, and out. */
@Resolver()
export class AccessMutations {
  @Requires('admin')
  @ArgsMutation(CreateApiTokenArgs, CreateApiTokenPayload)
  async createApiToken(input: CreateApiTokenArgs, context: GraphqlContext): Promise<CreateApiTokenPayload> {
    const { services, audit } = context;
    const [label, scopes, userId] = [input.name.trim(), input.scopes, input.user ?? null];
    const expiresInDays = input.expiresInDays ?? null;
    audit.about({ targetType: 'ApiToken', summary: 'Make an API token', detail: { scopes, expiresInDays } });
    const error = checkNewToken({ label, scopes, userId, expiresInDays });
    if (error !== null) return payloadOf([userError('INVALID', error.message, FIELDS[error.member])]);
    const expiresTs = expiresInDays === null ? null : services.clock.now() + expiresInDays * DAY_MS;
    const wanted = { label, scopes, userId, expiresTs, createdBy: viewerOf(context).name };
    const { token: secret, info } = await services.access.tokens.create(wanted);
    const token = toApiToken(info);
    audit.about({ targetId: token.id, summary: `Made the API token ${label}` });
    return { ...payloadOf(), token, secret };
  }

  @Requires('admin')
  @ArgsMutation(RevokeApiTokenArgs, RevokeApiTokenPayload)
  async revokeApiToken(
    input: RevokeApiTokenArgs,
    { services, audit }: GraphqlContext,
  ): Promise<RevokeApiTokenPayload> {
    const { tokens } = services.access;
    audit.about({ targetType: 'ApiToken', targetId: input.id, summary: 'Revoke an API token' });
    const id = keyOfNodeId('ApiToken', input.id);
    const isRevoked = id !== null && (await tokens.revoke(id));
    const info = id === null ? null : await tokens.find(id);
    if (info === null) return payloadOf([userError('NOT_FOUND', 'There is no such token', 'id')]);
    audit.about({ summary: `Revoke the API token ${info.label}` });
    const errors = isRevoked ? [] : [userError('CONFLICT', 'The token was revoked before', 'id')];
    return { ...payloadOf(errors), token: toApiToken(info) };
  }

  @ArgsMutation(EndSessionArgs, EndSessionPayload)
  async endSession(input: EndSessionArgs, context: GraphqlContext): Promise<EndSessionPayload> {
    const { services, audit } = context;
    const { role, sessionId } = viewerOf(context);
    const wanted = input.id ?? null;
    const id = wanted === null ? sessionId : keyOfNodeId('AdminSession', wanted);
    const targetId = wanted ?? (sessionId === null ? null : toNodeId('AdminSession', sessionId));
    audit.about({
      targetType: 'AdminSession',
      summary: 'End a session',
      ...(targetId === null ? {} : { targetId }),
    });
    if (wanted === null && sessionId === null) {
      return payloadOf([userError('INVALID', 'An API token has no session; say which one', 'id')]);
    }
    if (id !== sessionId && !hasRole(role, 'admin')) {
      throw graphqlError('FORBIDDEN', 'Sessions of others need the role admin', { requiredRole: 'ADMIN' });
    }
    const isEnded = id !== null && (await services.access.sessions.end(id));
    if (!isEnded) return payloadOf([userError('NOT_FOUND', 'There is no such session', 'id')]);
    return { ...payloadOf(), endedId: targetId };
  }
}
