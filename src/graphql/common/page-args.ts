import { ArgsType, Field, Int } from 'type-graphql';

import type { PageRequest } from '../../core/store/lists/record-list.js';
import { DEFAULT_PAGE, MAX_PAGE } from '../limits/limits.js';
import { badUserInput } from './graphql-errors.js';
import { nullable, withFields, type Class, type FieldTable, type OptionalMembers } from './fields.js';

/** Arguments of a list that is paged forward only. */
@ArgsType()
export class ForwardArgs {
  @Field(() => Int, { nullable: true, description: 'Number of rows, 1 to 100' })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'endCursor of the previous page' })
  after?: string | null;
}

/** Base of the arguments of such a list that has more of them. */
export function forwardArgs<const Table extends FieldTable>(
  table: Table,
): Class<ForwardArgs & OptionalMembers<Table>> {
  return withFields(ForwardArgs, ArgsType(), table);
}

/** Arguments of a list that is paged both ways (Relay Cursor Connections). */
@ArgsType()
class PageArgs extends forwardArgs({
  last: nullable(Int, 'Number of rows from the end, 1 to 100'),
  before: nullable(String, 'startCursor of the next page'),
}) {}

/** Base of the arguments of such a list that has more of them. */
export function pageArgs<const Table extends FieldTable>(
  table: Table,
): Class<PageArgs & OptionalMembers<Table>> {
  return withFields(PageArgs, ArgsType(), table);
}

/** The page that arguments ask for. Throws `BAD_USER_INPUT` for sizes outside 1–100 and for both ways at once. */
export function pageRequest(
  { first, after, last, before }: PageArgs,
  defaultSize: number = DEFAULT_PAGE,
): PageRequest {
  if ((first ?? null) !== null && (last ?? null) !== null) {
    throw badUserInput('Give first or last, not both');
  }
  if ((last ?? null) === null && (before ?? null) === null) {
    return { direction: 'forward', size: checked('first', first ?? defaultSize), cursor: after ?? null };
  }
  if ((after ?? null) !== null || (first ?? null) !== null) {
    throw badUserInput('last and before do not go together with first and after');
  }
  return { direction: 'backward', size: checked('last', last ?? defaultSize), cursor: before ?? null };
}

function checked(name: string, size: number): number {
  if (size < 1 || size > MAX_PAGE) throw badUserInput(`${name} must be from 1 to ${MAX_PAGE}`);
  return size;
}
