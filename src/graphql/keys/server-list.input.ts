import { ArgsType, Field, InputType } from 'type-graphql';

import { PageArgs } from '../common/page-args.js';
import type { ServerListing } from '../../core/operators/keys/server-list.js';
import { SortDirection } from '../common/enums.js';
import type { GraphqlContext } from '../context.js';
import { KeyState, ServerSortField } from './keys.enums.js';

@InputType()
export class ServerFilter {
  @Field(() => String, { nullable: true })
  search?: string | null;

  @Field(() => KeyState, { nullable: true })
  state?: KeyState | null;

  @Field(() => Boolean, { nullable: true })
  failing?: boolean | null;

  @Field(() => Boolean, { nullable: true })
  federationAllowed?: boolean | null;

  @Field(() => Date, { nullable: true })
  validUntilBefore?: Date | null;
}

@InputType()
export class ServerSort {
  @Field(() => ServerSortField)
  field!: ServerSortField;

  @Field(() => SortDirection, { defaultValue: SortDirection.ASC })
  direction!: SortDirection;
}

@ArgsType()
export class ServerListArgs extends PageArgs {
  @Field(() => ServerFilter, { nullable: true })
  filter?: ServerFilter | null;

  @Field(() => ServerSort, { nullable: true })
  sort?: ServerSort | null;
}

/** The list that arguments ask for; by name without an order. */
export function toServerListing(
  filter: ServerFilter | null,
  sort: ServerSort | null,
  { services }: GraphqlContext,
): ServerListing {
  const search = filter?.search?.trim() ?? '';
  return {
    filter: {
      search: search === '' ? null : search,
      state: filter?.state ?? null,
      isFailing: filter?.failing ?? null,
      isAllowed: filter?.federationAllowed ?? null,
      validUntilBeforeTs: filter?.validUntilBefore?.getTime() ?? null,
    },
    sort: { field: sort?.field ?? 'name', direction: sort?.direction ?? 'asc' },
    whitelist: services.keys.whitelist.names,
    nowTs: services.clock.now(),
  };
}
