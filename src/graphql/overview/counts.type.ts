import { GraphQLSafeInt } from 'graphql-scalars';
import { Float, Int, ObjectType } from 'type-graphql';

import type { CacheUse } from '../../core/operators/overview/overview.js';
import { field, nullable, objectFields } from '../common/fields.js';

@ObjectType({ description: 'Servers whose keys are known' })
export class KeyCounts extends objectFields({
  servers: field(Int, { description: 'All of them' }),
  expired: field(Int, { description: 'Servers whose newest record has expired' }),
  failing: field(Int, { description: 'Servers whose last fetch failed' }),
}) {}

@ObjectType({ description: 'Previews of all instances in store, and failures in memory of this one' })
export class PreviewCounts extends objectFields({
  stored: field(Int, { description: 'Stored previews' }),
  failedInMemory: field(Int, { description: 'Failures that are remembered' }),
}) {}

@ObjectType({ description: 'Media in store' })
export class MediaCounts extends objectFields({
  items: field(Int, { description: 'Files, without thumbnails' }),
  diskBytes: field(GraphQLSafeInt, { description: 'Files and thumbnails together, as last measured' }),
}) {}

@ObjectType()
export class CacheStats extends objectFields({
  entries: Int,
  bytes: nullable(GraphQLSafeInt),
  hits: GraphQLSafeInt,
  misses: GraphQLSafeInt,
  hitRatio: nullable(Float, { description: 'Null until there was at least one look-up' }),
}) {}

/** Use of a cache with its ratio. */
export function toCacheStats(use: CacheUse): CacheStats {
  const lookups = use.hits + use.misses;
  return { ...use, hitRatio: lookups === 0 ? null : use.hits / lookups };
}

@ObjectType()
export class SpaceShare extends objectFields({
  name: String,
  items: Int,
  bytes: field(GraphQLSafeInt, { description: 'On disk: files and their thumbnails' }),
  thumbnailBytes: field(GraphQLSafeInt, { description: 'The part of thumbnails' }),
}) {}

@ObjectType({ description: 'Where the space goes, as last measured' })
export class MediaSpace extends objectFields({
  diskBytes: field(GraphQLSafeInt, { description: 'All of it, as overview.media says' }),
  byType: [SpaceShare],
  byDay: [SpaceShare],
  byHost: [SpaceShare],
  measuredAt: nullable(Date),
}) {}
