import { Field, ID, InterfaceType } from 'type-graphql';

import { nodeTypeOf } from './node-id.js';

/** Everything with an id of its own. Its type is told by the id, so resolvers may return plain objects. */
@InterfaceType('Node', { resolveType: (value: Node) => nodeTypeOf(value.id) ?? undefined })
export abstract class Node {
  @Field(() => ID, { description: 'Opaque, stable, globally unique' })
  id!: string;
}
