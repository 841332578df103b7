import { Int, ObjectType } from 'type-graphql';

import { parseServerName } from '../../core/notary/federation/server-name.js';
import { causeOf } from '../../core/operators/keys/failure-cause.js';
import { findServers, keyStateOf, type ServerRow } from '../../core/operators/keys/servers.js';
import { lookupBy } from '../common/batch-loader.js';
import { connectionOf } from '../common/connection.js';
import { toDate } from '../common/dates.js';
import { field, nullable, nodeFields, toNodeId } from '../common/fields.js';
import type { GraphqlContext } from '../context.js';
import { FailureCause, KeyState } from './enums.js';

@ObjectType({ description: 'A server whose keys were requested' })
export class RemoteServer extends nodeFields({
  name: field(String, 'Server name'),
  federationAllowed: field(Boolean, 'Whether federation_domain_whitelist allows it'),
  worstState: nullable(KeyState, 'State of the newest record; null without a record'),
  backoffUntil: nullable(Date, 'No fetch before this time; null without back-off'),
  failCount: field(Int, 'Consecutive failed fetches'),
  failureCause: nullable(FailureCause, 'Why the last fetch failed; null if it succeeded'),
  keyCount: field(Int, 'Number of known key IDs'),
  addedAt: nullable(Date, 'When the newest record was fetched'),
  validUntil: nullable(Date, 'When the newest record expires'),
  refetchAfter: nullable(Date, 'After this time a query fetches the record again'),
  needsLook: field(Boolean, 'Whether an alarm is not acknowledged'),
}) {}

export const RemoteServerConnection = connectionOf('RemoteServer', () => RemoteServer);

/** A row as the API shows it. */
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

/** Servers by name; names no server can have are not looked for. */
export const serverByName = lookupBy(
  (names: readonly string[], { services }: GraphqlContext) =>
    findServers(
      services.database,
      names.filter((name) => parseServerName(name) !== null),
    ),
  ({ serverName }) => serverName,
  toRemoteServer,
);
