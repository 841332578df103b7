import { GraphQLSafeInt } from 'graphql-scalars';
import { Float, Int, ObjectType } from 'type-graphql';

import type { CacheUse } from '../../core/operators/overview/overview.js';
import { field, nullable, objectFields } from '../common/fields.js';

@ObjectType()
export class KeyCounts extends objectFields({
  servers: Int,
  records: Int,
  fresh: Int,
  due: Int,
  expired: Int,
  failing: Int,
}) {}

@ObjectType()
export class PreviewCounts extends objectFields({
  stored: Int,
  fresh: Int,
  expired: Int,
  inMemory: Int,
  running: Int,
  failedInMemory: Int,
}) {}

@ObjectType()
export class MediaCounts extends objectFields({
  items: Int,
  bytes: GraphQLSafeInt,
  thumbnails: Int,
  thumbnailBytes: GraphQLSafeInt,
  diskBytes: field(GraphQLSafeInt, { description: 'Files and thumbnails together' }),
  orphans: Int,
  missingFiles: Int,
  dueForDeletion: Int,
  measuredAt: nullable(Date, {
    description: 'When the totals were measured; null before the first time',
  }),
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
