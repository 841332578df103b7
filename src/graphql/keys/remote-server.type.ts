import { Field, Int, ObjectType } from 'type-graphql';

import { keyStateOf } from '../../core/operators/keys/server-row.js';
import type { ServerRow } from '../../core/operators/keys/server-row.js';
import { connectionOf } from '../common/connection.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node } from '../nodes/node.type.js';
import type { GraphqlContext } from '../context.js';
import { toDate } from '../common/dates.js';
import { KeyState } from './keys.enums.js';

@ObjectType({ implements: Node })
export class RemoteServer extends Node {
  @Field(() => String)
  name!: string;

  @Field(() => Boolean)
  federationAllowed!: boolean;

  @Field(() => KeyState, { nullable: true, description: 'State of the newest record; null without one' })
  worstState!: KeyState | null;

  @Field(() => Date, { nullable: true })
  backoffUntil!: Date | null;

  @Field(() => Int, { description: 'Failures in a row; 0 after a success' })
  failCount!: number;

  @Field(() => Int)
  keyCount!: number;

  @Field(() => Date, { nullable: true, description: 'Of the newest record; null without one' })
  addedAt!: Date | null;

  @Field(() => Date, { nullable: true })
  validUntil!: Date | null;

  @Field(() => Date, { nullable: true })
  refetchAfter!: Date | null;
}

export const RemoteServerConnection = connectionOf('RemoteServer', () => RemoteServer);

/** A row as the outside sees it. */
export function toRemoteServer(row: ServerRow, { services }: GraphqlContext): RemoteServer {
  const nowTs = services.clock.now();
  return {
    id: toNodeId('RemoteServer', row.serverName),
    name: row.serverName,
    federationAllowed: services.keys.whitelist.allows(row.serverName),
    worstState: keyStateOf(row, nowTs),
    backoffUntil: row.nextTryTs > nowTs ? toDate(row.nextTryTs) : null,
    failCount: row.failCount,
    keyCount: row.keyCount,
    addedAt: toDate(row.addedTs),
    validUntil: toDate(row.validUntilTs),
    refetchAfter: toDate(row.dueTs),
  };
}

/** A server of which only the name is known any more. */
export function namedServer(serverName: string, context: GraphqlContext): RemoteServer {
  return toRemoteServer({ ...NOTHING_KNOWN, serverName }, context);
}

const NOTHING_KNOWN: Omit<ServerRow, 'serverName'> = {
  firstAskedTs: 0,
  lastFetchTs: null,
  lastOkTs: null,
  failCount: 0,
  nextTryTs: 0,
  lastErrorReason: null,
  lastErrorMessage: null,
  addedTs: null,
  validUntilTs: null,
  dueTs: null,
  keyCount: 0,
};
