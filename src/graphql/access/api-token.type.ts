import { ObjectType } from 'type-graphql';

import { TOKEN_SCOPES, type AccessTokenInfo } from '../../core/access/users/access-token-store.js';
import { wordsEnum } from '../common/enums.js';
import { toDate } from '../common/dates.js';
import { connectionOf } from '../common/connection.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';
import { field, nullable } from '../common/fields.js';

export const TokenScope = wordsEnum('TokenScope', TOKEN_SCOPES);

@ObjectType({ implements: Node })
export class ApiToken extends nodeFields({
  name: String,
  hint: field(String, { description: 'First characters, to recognise it' }),
  scopes: [TokenScope],
  user: nullable(String),
  createdAt: Date,
  createdBy: String,
  expiresAt: nullable(Date),
  lastUsedAt: nullable(Date),
  revokedAt: nullable(Date),
}) {}

export const ApiTokenConnection = connectionOf('ApiToken', () => ApiToken);

/** An access token for operators. */
export function toApiToken(info: AccessTokenInfo): ApiToken {
  const { id, label, hint, scopes, userId, createdBy } = info;
  return {
    id: toNodeId('ApiToken', id),
    hint,
    scopes,
    createdBy,
    name: label,
    user: userId,
    createdAt: toDate(info.createdTs),
    expiresAt: toDate(info.expiresTs),
    lastUsedAt: toDate(info.lastUsedTs),
    revokedAt: toDate(info.revokedTs),
  };
}
