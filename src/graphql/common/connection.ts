import { Field, Int, ObjectType, type ClassType } from 'type-graphql';

import type { Page, PageRequest, RecordList } from '../../core/store/lists/record-list.js';
import { field, nullable, objectFields } from './fields.js';

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
  node: () => ClassType<Item>,
): ClassType<Connection<Item>> {
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

/** A page of a list of the store, as a connection. */
export async function connectionTo<Wanted, Row, Item>(
  list: Pick<RecordList<Wanted, string | number, Row>, 'page' | 'count'>,
  { wanted, request, signal }: { wanted: Wanted; request: PageRequest; signal?: AbortSignal },
  toNode: (row: Row) => Item,
): Promise<Connection<Item>> {
  const page = await list.page(wanted, request, { signal });
  return toConnection(page, toNode, () => list.count(wanted, { signal }));
}

/** A connection from a page of the store. */
function toConnection<Row, Item>(
  page: Page<Row>,
  toNode: (row: Row) => Item,
  count: () => Promise<number>,
): Connection<Item> {
  return {
    nodes: page.rows.map(({ row }) => toNode(row)),
    pageInfo: {
      hasNextPage: page.hasNextPage,
      hasPreviousPage: page.hasPreviousPage,
      startCursor: page.startCursor,
      endCursor: page.endCursor,
    },
    count,
  };
}
