import { Int, ObjectType } from 'type-graphql';

import { causeOf } from '../../core/operators/keys/failures/failure-cause.js';
import { keyStateOf, type ServerRow } from '../../core/operators/keys/server-row.js';
import { connectionOf } from '../common/connection.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';
import type { GraphqlContext } from '../context.js';
import { toDate } from '../common/dates.js';
import { FailureCause, KeyState } from './keys.enums.js';
import { field, nullable } from '../common/fields.js';

@ObjectType({ implements: Node })
export class RemoteServer extends nodeFields({
  name: String,
  federationAllowed: Boolean,
  worstState: nullable(KeyState, { description: 'State of the newest record; null without one' }),
  backoffUntil: nullable(Date),
  failCount: field(Int, { description: 'Failures in a row; 0 after a success' }),
  failureCause: nullable(FailureCause, { description: 'Why its last fetch failed; null when it went well' }),
  keyCount: Int,
  addedAt: nullable(Date, { description: 'Of the newest record; null without one' }),
  validUntil: nullable(Date),
  refetchAfter: nullable(Date),
  needsLook: field(Boolean, { description: 'Whether an alarm has been raised that nobody has acknowledged' }),
}) {}

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
    failureCause: row.lastErrorReason === null ? null : causeOf(row.lastErrorReason),
    keyCount: row.keyCount,
    addedAt: toDate(row.addedTs),
    validUntil: toDate(row.validUntilTs),
    refetchAfter: toDate(row.dueTs),
    needsLook: row.alarmSeq !== null,
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
  alarmSeq: null,
};
