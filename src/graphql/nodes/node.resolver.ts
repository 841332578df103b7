import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';

import { hasRole } from '../../core/access/operators/viewer.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { MAX_PAGE } from '../limits/limits.js';
import { NODE_LOADERS } from '../node-loaders.js';
import { badUserInput } from '../common/graphql-errors.js';
import { readNodeId } from './node-id.js';
import { Node } from './node.type.js';

const LOADERS = new Map(NODE_LOADERS.map((loader) => [loader.typeName, loader]));

/** Objects by their id alone. */
@Resolver()
export class NodeResolver {
  @Query(() => Node, { nullable: true, description: 'The object with this ID; null if it does not exist' })
  node(
    @Arg('id', () => ID, { description: 'ID of an object' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<Node | null> {
    return load(id, context);
  }

  @Query(() => [Node], {
    nullable: 'items',
    description: 'The objects with these IDs, in this order; null for those that do not exist',
  })
  nodes(
    @Arg('ids', () => [ID], { description: 'IDs, at most 100' }) ids: string[],
    @Ctx() context: GraphqlContext,
  ): Promise<(Node | null)[]> {
    if (ids.length > MAX_PAGE) throw badUserInput(`At most ${MAX_PAGE} ids at a time`);
    return Promise.all(ids.map((id) => load(id, context)));
  }
}

async function load(id: string, context: GraphqlContext): Promise<Node | null> {
  const read = readNodeId(id);
  const loader = read === null ? undefined : LOADERS.get(read.typeName);
  if (read === null || loader === undefined) return null;
  if (!hasRole(viewerOf(context).role, loader.requires)) return null;
  const found = await context.loaders.of(loader.load).load(read.key);
  // A key may be written in several ways (a number with zeroes before it); only the one we gave out counts.
  return found?.id === id ? found : null;
}
