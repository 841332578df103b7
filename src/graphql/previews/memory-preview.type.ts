import { Field, Int, ObjectType } from 'type-graphql';

import type { MemoryRecord } from '../../core/operators/previews/memory-list.js';
import { connectionOf } from '../common/connection.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node } from '../nodes/node.type.js';
import { shownUrl } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';
import { MemoryState } from './previews.enums.js';

@ObjectType({ implements: Node, description: 'An entry of the one-hour in-memory cache of one instance' })
export class MemoryPreview extends Node {
  @Field(() => String)
  url!: string;

  @Field(() => String)
  instance!: string;

  @Field(() => MemoryState)
  state!: MemoryState;

  @Field(() => Date)
  startedAt!: Date;

  @Field(() => Date)
  expiresAt!: Date;

  @Field(() => Int)
  hits!: number;

  @Field(() => Int, { nullable: true })
  status!: number | null;

  @Field(() => String, { nullable: true })
  errcode!: string | null;

  @Field(() => String, { nullable: true })
  message!: string | null;
}

export const MemoryPreviewConnection = connectionOf('MemoryPreview', () => MemoryPreview);

/** An entry for those who ask. */
export function toMemoryPreview(record: MemoryRecord, context: GraphqlContext): MemoryPreview {
  const { id, url, startedTs, expiresTs, ...rest } = record;
  return {
    ...rest,
    id: toNodeId('MemoryPreview', id),
    url: shownUrl(url, context),
    instance: context.services.previews.instance,
    startedAt: new Date(startedTs),
    expiresAt: new Date(expiresTs),
  };
}
