import { Kind, visit, type DocumentNode, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

/** What can be told of an operation without the schema. */
export interface OperationShape {
  kind: 'query' | 'mutation' | 'subscription';
  /** Levels of fields; those below `__schema` and `__type` do not count. */
  depth: number;
  /** Names of the operation's own fields as often as they are selected, through fragments. */
  rootFields: readonly string[];
}

/** More than any limit; what would unfold to more is not unfolded further. */
const MANY = 1000;

/** The operation that a request means; `null` when it names none or more than one could be meant. */
export function operationOf(document: DocumentNode, name: string | null): OperationDefinitionNode | null {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (name === null) return operations.length === 1 ? (operations[0] ?? null) : null;
  return operations.find((operation) => operation.name?.value === name) ?? null;
}

/** Aliases of a whole document, used or not. */
export function countAliases(document: DocumentNode): number {
  let count = 0;
  visit(document, { Field: ({ alias }) => void (count += alias === undefined ? 0 : 1) });
  return count;
}

interface Measured {
  depth: number;
  fields: readonly string[];
}

const NOTHING: Measured = { depth: 0, fields: [] };

/** Measures an operation, each fragment once. Fragments that contain themselves are left to validation. */
export function shapeOf(document: DocumentNode, operation: OperationDefinitionNode): OperationShape {
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const sets = new Map(fragments.map(({ name, selectionSet }) => [name.value, selectionSet]));
  const known = new Map<string, Measured>();
  const fragment = (name: string): Measured => {
    const set = sets.get(name);
    const found = known.get(name);
    if (found !== undefined || set === undefined) return found ?? NOTHING;
    // What contains itself counts as nothing.
    known.set(name, NOTHING);
    const measured = measure(set);
    known.set(name, measured);
    return measured;
  };
  const measure = ({ selections }: SelectionSetNode): Measured => {
    let depth = 0;
    const fields: string[] = [];
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const { name, selectionSet } = selection;
        const isCounted = selectionSet !== undefined && name.value !== '__schema' && name.value !== '__type';
        depth = Math.max(depth, 1 + (isCounted ? measure(selectionSet).depth : 0));
        fields.push(name.value);
        continue;
      }
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
      const inner = isSpread ? fragment(selection.name.value) : measure(selection.selectionSet);
      depth = Math.max(depth, inner.depth);
      fields.push(...inner.fields);
      if (fields.length > MANY) break;
    }
    return { depth, fields: fields.slice(0, MANY + 1) };
  };
  const { depth, fields } = measure(operation.selectionSet);
  return { kind: operation.operation, depth, rootFields: fields };
}
