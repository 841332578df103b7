import { withoutUsers } from '../../core/access/operators/privacy.js';
import { Int, ObjectType } from 'type-graphql';

import type { MemoryRecord } from '../../core/operators/previews/memory-list.js';
import { connectionOf } from '../common/connection.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';
import { shownUrl } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';
import { MemoryState } from './previews.enums.js';
import { nullable } from '../common/fields.js';
import { withDates } from '../common/dates.js';

@ObjectType({ implements: Node, description: 'An entry of the one-hour in-memory cache of one instance' })
export class MemoryPreview extends nodeFields({
  url: String,
  state: MemoryState,
  startedAt: Date,
  expiresAt: Date,
  hits: Int,
  status: nullable(Int),
  errcode: nullable(String),
  message: nullable(String),
}) {
  /** The whole address, whatever the viewer may see of it. */
  fullUrl!: string;
}

export const MemoryPreviewConnection = connectionOf('MemoryPreview', () => MemoryPreview);

/** An entry for those who ask. */
export function toMemoryPreview(record: MemoryRecord, context: GraphqlContext): MemoryPreview {
  const { id, url, message } = record;
  return {
    ...withDates(record),
    id: toNodeId('MemoryPreview', id),
    message: message === null ? null : withoutUsers(message),
    url: shownUrl(url, context),
    fullUrl: url,
  };
}
