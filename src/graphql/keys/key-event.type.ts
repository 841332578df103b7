import { GraphQLJSON } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';

import type { EventRow } from '../../core/operators/keys/event-history.js';
import { connectionOf } from '../common/connection.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';
import { withDates } from '../common/dates.js';
import { KeyEventSeverity } from './keys.enums.js';
import { field, nullable } from '../common/fields.js';

@ObjectType({ implements: Node })
export class KeyEvent extends nodeFields({
  at: Date,
  kind: field(String, { description: 'server_first_seen, key_added, key_replaced, …' }),
  severity: KeyEventSeverity,
  message: field(String, { description: 'One sentence for people' }),
  keyId: nullable(String),
  detail: nullable(GraphQLJSON),
  acknowledged: nullable(Boolean, {
    description:
      'Whether somebody has acknowledged the alarm; null for events that are none, or whose alarm has given way',
  }),
  hasRecord: field(Boolean, { description: 'Whether it came with a record, which the log holds' }),
}) {
  recordId!: number | null;
  serverName!: string;
}

export const KeyEventConnection = connectionOf('KeyEvent', () => KeyEvent);

/** A row as the outside sees it. */
export function toKeyEvent(row: EventRow): KeyEvent {
  return {
    ...withDates(row),
    id: toNodeId('KeyEvent', row.seq),
    message: row.sentence,
    acknowledged: row.isAcknowledged,
    hasRecord: row.recordId !== null,
  };
}
