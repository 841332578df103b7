import { ObjectType } from 'type-graphql';

import type { AdminSessionInfo } from '../../core/access/operators/session-store.js';
import { SignInMethod } from '../common/enums.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';
import { nullable } from '../common/fields.js';
import { withDates } from '../common/dates.js';

@ObjectType({ implements: Node })
export class AdminSession extends nodeFields({
  actor: String,
  method: SignInMethod,
  createdAt: Date,
  lastSeenAt: Date,
  expiresAt: Date,
  address: nullable(String),
  userAgent: nullable(String),
  isCurrent: Boolean,
}) {}

/** A session for operators; `currentId` is the one of the request, `null` without. */
export function toSession(session: AdminSessionInfo, currentId: string | null): AdminSession {
  const { id } = session;
  return { ...withDates(session), id: toNodeId('AdminSession', id), isCurrent: id === currentId };
}
