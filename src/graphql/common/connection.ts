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

/** Arguments of a list. */
export class PageArgs extends argsFields({
  first: nullable(Int, 'Number of rows, 1 to 100'),
  after: nullable(String, 'endCursor of the previous page'),
}) {}

/** Base of the arguments of a list that has more of them. */
export function pageArgs<const Table extends FieldTable>(
  table: Table,
): Class<PageArgs & OptionalMembers<Table>> {
  return withFields(PageArgs, ArgsType(), table);
}

/** The page that arguments ask for. Throws `BAD_USER_INPUT` for sizes outside 1–100. */
export function pageRequest({ first = null, after = null }: PageArgs): PageRequest {
  const size = first ?? DEFAULT_PAGE;
  if (size < 1 || size > MAX_PAGE) throw badUserInput(`first must be from 1 to ${MAX_PAGE}`);
  return { size, cursor: after };
}
