import { ArgsType, InputType } from 'type-graphql';

import { pageArgs } from '../common/page-args.js';
import type { ServerListing } from '../../core/operators/keys/server-list.js';
import { SortDirection } from '../common/enums.js';
import type { GraphqlContext } from '../context.js';
import { textOf } from '../../core/base/text/text-of.js';
import { FailureCause, KeyState, ServerSortField } from './keys.enums.js';
import { field, inputFields, nullable } from '../common/fields.js';

@InputType()
export class ServerFilter extends inputFields({
  search: nullable(String),
  server: nullable(String),
  state: nullable(KeyState),
  failing: nullable(Boolean),
  cause: nullable(FailureCause),
  needsLook: nullable(Boolean),
  federationAllowed: nullable(Boolean),
  validUntilBefore: nullable(Date),
}) {}

@InputType()
export class ServerSort extends inputFields({
  field: ServerSortField,
  direction: field(SortDirection, { defaultValue: SortDirection.ASC }),
}) {}

@ArgsType()
export class ServerListArgs extends pageArgs({
  filter: nullable(ServerFilter),
  sort: nullable(ServerSort),
}) {}

/** The list that arguments ask for; by name without an order. */
export function toServerListing(
  filter: ServerFilter | null,
  sort: ServerSort | null,
  { services }: GraphqlContext,
): ServerListing {
  return {
    filter: {
      search: textOf(filter?.search),
      server: textOf(filter?.server),
      state: filter?.state ?? null,
      isFailing: filter?.failing ?? null,
      cause: filter?.cause ?? null,
      needsLook: filter?.needsLook ?? null,
      isAllowed: filter?.federationAllowed ?? null,
      validUntilBeforeTs: filter?.validUntilBefore?.getTime() ?? null,
    },
    sort: { field: sort?.field ?? 'name', direction: sort?.direction ?? 'asc' },
    whitelist: services.keys.whitelist.names,
    nowTs: services.clock.now(),
  };
}
