import { Field, ObjectType } from 'type-graphql';

import type { AdminSessionInfo } from '../../core/access/operators/session-store.js';
import { SignInMethod } from '../common/enums.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node } from '../nodes/node.type.js';

@ObjectType({ implements: Node })
export class AdminSession extends Node {
  @Field(() => String)
  actor!: string;

  @Field(() => SignInMethod)
  method!: SignInMethod;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  lastSeenAt!: Date;

  @Field(() => Date)
  expiresAt!: Date;

  @Field(() => String, { nullable: true })
  address!: string | null;

  @Field(() => String, { nullable: true })
  userAgent!: string | null;

  @Field(() => Boolean)
  isCurrent!: boolean;
}

/** A session for operators; `currentId` is the one of the request, `null` without. */
export function toSession(session: AdminSessionInfo, currentId: string | null): AdminSession {
  const { id, actor, method, address, userAgent } = session;
  return {
    id: toNodeId('AdminSession', id),
    actor,
    method,
    address,
    userAgent,
    createdAt: new Date(session.createdTs),
    lastSeenAt: new Date(session.lastSeenTs),
    expiresAt: new Date(session.expiresTs),
    isCurrent: id === currentId,
  };
}
