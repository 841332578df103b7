import { GraphQLJSON } from 'graphql-scalars';
import { Field, ObjectType } from 'type-graphql';

import type { EventRow } from '../../core/operators/keys/event-history.js';
import { connectionOf } from '../common/connection.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node } from '../nodes/node.type.js';
import { toDate } from '../common/dates.js';
import { KeyEventSeverity } from './keys.enums.js';

@ObjectType({ implements: Node })
export class KeyEvent extends Node {
  @Field(() => Date)
  at!: Date;

  @Field(() => String, { description: 'server_first_seen, key_added, key_replaced, …' })
  kind!: string;

  @Field(() => KeyEventSeverity)
  severity!: KeyEventSeverity;

  @Field(() => String, { description: 'One sentence for people' })
  message!: string;

  @Field(() => String, { nullable: true })
  keyId!: string | null;

  @Field(() => GraphQLJSON, { nullable: true })
  detail!: unknown;
}

export const KeyEventConnection = connectionOf('KeyEvent', () => KeyEvent);

/** A row as the outside sees it. */
export function toKeyEvent({ seq, ts, kind, severity, sentence, keyId, detail }: EventRow): KeyEvent {
  return { id: toNodeId('KeyEvent', seq), at: toDate(ts), kind, severity, message: sentence, keyId, detail };
}
