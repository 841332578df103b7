import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, Float, Int, ObjectType } from 'type-graphql';

import type { CacheUse } from '../../core/operators/overview/overview.js';

@ObjectType()
export class KeyCounts {
  @Field(() => Int)
  servers!: number;

  @Field(() => Int)
  records!: number;

  @Field(() => Int)
  fresh!: number;

  @Field(() => Int)
  due!: number;

  @Field(() => Int)
  expired!: number;

  @Field(() => Int)
  failing!: number;
}

@ObjectType()
export class PreviewCounts {
  @Field(() => Int)
  stored!: number;

  @Field(() => Int)
  fresh!: number;

  @Field(() => Int)
  expired!: number;

  @Field(() => Int)
  inMemory!: number;

  @Field(() => Int)
  running!: number;

  @Field(() => Int)
  failedInMemory!: number;
}

@ObjectType()
export class MediaCounts {
  @Field(() => Int)
  items!: number;

  @Field(() => GraphQLSafeInt)
  bytes!: number;

  @Field(() => Int)
  thumbnails!: number;

  @Field(() => GraphQLSafeInt)
  thumbnailBytes!: number;

  @Field(() => Int)
  orphans!: number;

  @Field(() => Int)
  missingFiles!: number;

  @Field(() => Int)
  dueForDeletion!: number;

  @Field(() => Date, {
    nullable: true,
    description: 'When the totals were measured; null before the first time',
  })
  measuredAt!: Date | null;
}

@ObjectType()
export class CacheStats {
  @Field(() => Int)
  entries!: number;

  @Field(() => GraphQLSafeInt, { nullable: true })
  bytes!: number | null;

  @Field(() => GraphQLSafeInt)
  hits!: number;

  @Field(() => GraphQLSafeInt)
  misses!: number;

  @Field(() => Float, { nullable: true, description: 'Null until there was at least one look-up' })
  hitRatio!: number | null;
}

/** Use of a cache with its ratio. */
export function toCacheStats(use: CacheUse): CacheStats {
  const lookups = use.hits + use.misses;
  return { ...use, hitRatio: lookups === 0 ? null : use.hits / lookups };
}

@ObjectType()
export class SpaceShare {
  @Field(() => String)
  name!: string;

  @Field(() => Int)
  items!: number;

  @Field(() => GraphQLSafeInt)
  bytes!: number;
}

@ObjectType({ description: 'Where the space goes, as last measured' })
export class MediaSpace {
  @Field(() => [SpaceShare])
  byType!: SpaceShare[];

  @Field(() => [SpaceShare])
  byDay!: SpaceShare[];

  @Field(() => [SpaceShare])
  byHost!: SpaceShare[];

  @Field(() => Date, { nullable: true })
  measuredAt!: Date | null;
}
