import type { BatchLookup } from '../context.js';
import type { Role } from '../../core/access/operators/viewer.js';
import type { Node } from './node.type.js';

/** How `node(id)` finds objects of one type. Listed in `node-loaders.ts`. */
export interface NodeLoader {
  /** Name of the type in the schema. */
  typeName: string;
  /** Lowest role that may see it; for others there is nothing. */
  requires: Role;
  /** Objects by the keys in their ids, which are untrusted. */
  load: BatchLookup<string, Node>;
}
