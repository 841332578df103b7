import { ObjectType } from 'type-graphql';

import { TOKEN_SCOPES, type AccessTokenInfo } from '../../core/access/users/access-token-store.js';
import { wordsEnum } from '../common/enums.js';
import { withDates } from '../common/dates.js';
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
  return { ...withDates(info), id: toNodeId('ApiToken', info.id), name: info.label, user: info.userId };
}
