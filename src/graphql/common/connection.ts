import { ArgsType, Field, Int, ObjectType } from 'type-graphql';

import type { PageRequest, RecordList } from '../../core/store/lists/record-list.js';
import type { GraphqlContext } from '../context.js';
import { DEFAULT_PAGE, MAX_PAGE } from '../limits/limits.js';
import {
  field,
  nullable,
  objectFields,
  withFields,
  type Class,
  type FieldTable,
  type OptionalMembers,
} from './fields.js';
import { badUserInput } from './graphql-errors.js';
import { argsFields } from './operations.js';

@ObjectType({ description: 'Position of a page in its list (Relay Cursor Connections)' })
export class PageInfo extends objectFields({
  hasNextPage: field(Boolean, 'Whether more rows may follow; pages of a search can be short or empty'),
  hasPreviousPage: field(Boolean, 'Whether there are rows before'),
  startCursor: nullable(String, 'Position of the first row'),
  endCursor: nullable(
    String,
    'Position of the last row on the page or, in a search, of the last row searched',
  ),
}) {}

/** A page as resolvers return it; rows are only counted when the count is selected. */
export interface Connection<Item> {
  nodes: Item[];
  pageInfo: PageInfo;
  count: () => Promise<number>;
}

/** Makes the type `XxxConnection`. `node` is the type of the rows, as a function for cycles. */
export function connectionOf<Item extends object>(
  name: string,
  node: () => Class<Item>,
): Class<Connection<Item>> {
  @ObjectType(`${name}Connection`, { description: 'One page of a list' })
  class ConnectionType implements Connection<Item> {
    count!: () => Promise<number>;

    @Field(() => [node()], { description: 'The rows of this page' })
    nodes!: Item[];

    @Field(() => PageInfo, { description: 'Cursors of this page' })
    pageInfo!: PageInfo;

    @Field(() => Int, { description: 'Number of rows on all pages, counted up to 10,000' })
    totalCount(): Promise<number> {
      return this.count();
    }
  }
  return ConnectionType;
}

/** A list of the store, and what a client wants of it. */
interface AskedList<Wanted, Row> {
  list: Pick<RecordList<Wanted, string | number, Row>, 'page' | 'count'>;
  wanted: Wanted;
  args: PageArgs;
}

/** A page of a list of the store, as a connection. */
export async function connectionTo<Wanted, Row, Item>(
  { list, wanted, args }: AskedList<Wanted, Row>,
  context: GraphqlContext,
  toNode: (row: Row, context: GraphqlContext) => Item,
): Promise<Connection<Item>> {
  const { signal } = context;
  const { rows, ...pageInfo } = await list.page(wanted, pageRequest(args), { signal });
  const nodes = rows.map((row) => toNode(row, context));
  return { nodes, pageInfo, count: () => list.count(wanted, { signal }) };
}

/** Arguments of a list that is paged forward only. */
export class ForwardArgs extends argsFields({
  first: nullable(Int, 'Number of rows, 1 to 100'),
  after: nullable(String, 'endCursor of the previous page'),
}) {}

/** Base of the arguments of such a list that has more of them. */
export function forwardArgs<const Table extends FieldTable>(
  table: Table,
): Class<ForwardArgs & OptionalMembers<Table>> {
  return withFields(ForwardArgs, ArgsType(), table);
}

/** Arguments of a list that is paged both ways (Relay Cursor Connections). */
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
export function pageRequest({
  first = null,
  after = null,
  last = null,
  before = null,
}: PageArgs): PageRequest {
  if (first !== null && last !== null) throw badUserInput('Give first or last, not both');
  if (last === null && before === null)
    return { direction: 'forward', size: checked('first', first ?? DEFAULT_PAGE), cursor: after };
  if (after !== null || first !== null)
    throw badUserInput('last and before do not go together with first and after');
  return { direction: 'backward', size: checked('last', last ?? DEFAULT_PAGE), cursor: before };
}

function checked(name: string, size: number): number {
  if (size < 1 || size > MAX_PAGE) throw badUserInput(`${name} must be from 1 to ${MAX_PAGE}`);
  return size;
}
