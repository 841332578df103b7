import { GraphQLJSON } from 'graphql-scalars';
import { Field, Int, ObjectType } from 'type-graphql';

import type { PreviewRecord } from '../../core/operators/previews/preview-records.js';
import type { PreviewProperty } from '../../core/operators/previews/property-origins.js';
import { connectionOf } from '../common/connection.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node } from '../nodes/node.type.js';
import { shownUrl, shownValue } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';
import { PreviewState } from './previews.enums.js';

@ObjectType()
export class OgProperty {
  @Field(() => String)
  key!: string;

  @Field(() => GraphQLJSON, { nullable: true })
  value!: unknown;

  @Field(() => String, { nullable: true, description: 'page, oembed, or made (from the stored image)' })
  origin!: string | null;
}

@ObjectType({ implements: Node })
export class Preview extends Node {
  rowId!: number;
  /** With everything in it. */
  fullUrl!: string;
  mediaId!: string;
  imageMediaId!: string | null;

  @Field(() => String)
  url!: string;

  @Field(() => String)
  host!: string;

  @Field(() => Int)
  responseCode!: number;

  @Field(() => String, { nullable: true })
  etag!: string | null;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  expiresAt!: Date;

  @Field(() => PreviewState)
  state!: PreviewState;

  @Field(() => String, { nullable: true })
  title!: string | null;
}

export const PreviewConnection = connectionOf('Preview', () => Preview);

/** A stored preview for those who ask. */
export function toPreview(record: PreviewRecord, context: GraphqlContext): Preview {
  const { id, url, createdTs, expiresTs, host, responseCode, etag, title, mediaId, imageMediaId } = record;
  return {
    id: toNodeId('Preview', id),
    rowId: id,
    fullUrl: url,
    url: shownUrl(url, context),
    createdAt: new Date(createdTs),
    expiresAt: new Date(expiresTs),
    state: expiresTs > context.services.clock.now() ? 'fresh' : 'expired',
    host,
    responseCode,
    etag,
    title,
    mediaId,
    imageMediaId,
  };
}

/** Values of a preview for those who ask. */
export function toProperties(properties: readonly PreviewProperty[], context: GraphqlContext): OgProperty[] {
  return properties.map(({ value, ...rest }) => ({ ...rest, value: shownValue(value, context) }));
}
