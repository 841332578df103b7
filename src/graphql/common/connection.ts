import { Field, Int, ObjectType, type ClassType } from 'type-graphql';

import type { CappedCount, Page, PageRequest } from '../../core/store/lists/keyset-page.js';
import type { RecordList } from '../../core/store/lists/record-list.js';
import { nullable, objectFields } from './fields.js';

/** Where a page begins and ends, and whether there is more (Relay Cursor Connections). */
@ObjectType()
export class PageInfo extends objectFields({
  hasNextPage: Boolean,
  hasPreviousPage: Boolean,
  startCursor: nullable(String),
  endCursor: nullable(String),
}) {}

@ObjectType({
  description:
    'Counts cost a table scan on big stores, so they can be capped: exact is false when count is only a lower bound',
})
export class TotalCount extends objectFields({
  count: Int,
  exact: Boolean,
}) {}

/** An edge as resolvers give it. */
export interface Edge<Item> {
  cursor: string;
  node: Item;
}

/** A page as resolvers give it; the count is made only for those who ask for it. */
export interface Connection<Item> {
  edges: Edge<Item>[];
  pageInfo: PageInfo;
  count: () => Promise<CappedCount>;
}

/** Makes the types `XxxConnection` and `XxxEdge`. `node` is the type of the rows, as a function for cycles. */
export function connectionOf<Item extends object>(
  name: string,
  node: () => ClassType<Item>,
): ClassType<Connection<Item>> {
  @ObjectType(`${name}Edge`)
  class EdgeType implements Edge<Item> {
    @Field(() => String)
    cursor!: string;

    @Field(node)
    node!: Item;
  }

  @ObjectType(`${name}Connection`)
  class ConnectionType implements Connection<Item> {
    count!: () => Promise<CappedCount>;

    @Field(() => [EdgeType])
    edges!: EdgeType[];

    @Field(() => [node()])
    nodes(): Item[] {
      return this.edges.map((edge) => edge.node);
    }

    @Field(() => PageInfo)
    pageInfo!: PageInfo;

    @Field(() => TotalCount)
    totalCount(): Promise<CappedCount> {
      return this.count();
    }
  }
  return ConnectionType;
}

/** A page of a list of the store, as a connection. */
export async function connectionTo<Wanted, Row, Item>(
  list: Pick<RecordList<Wanted, unknown, Row>, 'page' | 'count'>,
  { wanted, request, signal }: { wanted: Wanted; request: PageRequest; signal?: AbortSignal },
  toNode: (row: Row) => Item,
): Promise<Connection<Item>> {
  const scan = signal === undefined ? {} : { signal };
  const page = await list.page(wanted, request, scan);
  return toConnection(page, toNode, () => list.count(wanted, scan));
}

/** A connection from a page of the store. */
export function toConnection<Row, Item>(
  page: Page<Row>,
  toNode: (row: Row) => Item,
  count: () => Promise<CappedCount>,
): Connection<Item> {
  return {
    edges: page.rows.map(({ cursor, row }) => ({ cursor, node: toNode(row) })),
    pageInfo: {
      hasNextPage: page.hasNextPage,
      hasPreviousPage: page.hasPreviousPage,
      startCursor: page.startCursor,
      endCursor: page.endCursor,
    },
    count,
  };
}
