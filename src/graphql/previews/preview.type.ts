import { GraphQLJSON } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';

import type { PreviewRecord } from '../../core/operators/previews/preview-records.js';
import type { PreviewProperty } from '../../core/operators/previews/property-origins.js';
import { connectionOf } from '../common/connection.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';
import { shownUrl, shownValue } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';
import { PreviewState } from './previews.enums.js';
import { nullable, objectFields } from '../common/fields.js';
import { withDates } from '../common/dates.js';

@ObjectType()
export class OgProperty extends objectFields({
  key: String,
  value: nullable(GraphQLJSON),
  origin: nullable(String, { description: 'page, oembed, or made (from the stored image)' }),
}) {}

@ObjectType({ implements: Node })
export class Preview extends nodeFields({
  url: String,
  host: String,
  responseCode: Int,
  etag: nullable(String),
  createdAt: Date,
  expiresAt: Date,
  state: PreviewState,
  title: nullable(String),
}) {
  rowId!: number;
  /** With everything in it. */
  fullUrl!: string;
  mediaId!: string;
  imageMediaId!: string | null;
}

export const PreviewConnection = connectionOf('Preview', () => Preview);

/** A stored preview for those who ask. */
export function toPreview(record: PreviewRecord, context: GraphqlContext): Preview {
  const { id, url, title, expiresTs } = record;
  return {
    ...withDates(record),
    id: toNodeId('Preview', id),
    rowId: id,
    fullUrl: url,
    url: shownUrl(url, context),
    title: title === null ? null : String(shownValue(title, context)),
    state: expiresTs > context.services.clock.now() ? 'fresh' : 'expired',
  };
}

/** Values of a preview for those who ask. */
export function toProperties(properties: readonly PreviewProperty[], context: GraphqlContext): OgProperty[] {
  return properties.map(({ value, ...rest }) => ({ ...rest, value: shownValue(value, context) }));
}
