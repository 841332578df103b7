import { Field, ID, InterfaceType, ObjectType } from 'type-graphql';

import { withFields, type Class, type FieldTable, type ObjectMembers } from '../common/fields.js';
import { nodeTypeOf } from './node-id.js';

/** Everything with an id of its own. Its type is told by the id, so resolvers may return plain objects. */
@InterfaceType('Node', {
  description: 'An object with a global ID',
  resolveType: (value: Node) => nodeTypeOf(value.id) ?? undefined,
})
export abstract class Node {
  @Field(() => ID, { description: 'Global ID: opaque and stable' })
  id!: string;
}

/** Base of an object type that has an id and these fields. */
export function nodeFields<const Table extends FieldTable>(table: Table): Class<Node & ObjectMembers<Table>> {
  return withFields(Node, ObjectType(), table);
}
