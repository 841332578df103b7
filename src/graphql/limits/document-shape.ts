import {
  Kind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** What of an operation can be told without the schema. */
export interface OperationShape {
  kind: 'query' | 'mutation' | 'subscription';
  /** Levels of fields; those below `__schema` and `__type` do not count. */
  depth: number;
  /** Names of the operation's own fields as often as they are asked for, through fragments. */
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

/** Measures an operation. Fragments that name themselves, which validation refuses, end the look. */
export function shapeOf(document: DocumentNode, operation: OperationDefinitionNode): OperationShape {
  const walk = new ShapeWalk(document);
  return {
    kind: operation.operation,
    depth: walk.depth(operation.selectionSet),
    rootFields: walk.fields(operation.selectionSet),
  };
}

/** Aliases of a whole document, used or not. */
export function countAliases(document: DocumentNode): number {
  let count = 0;
  const pending: SelectionSetNode[] = document.definitions.flatMap((node) =>
    'selectionSet' in node ? [node.selectionSet] : [],
  );
  for (let set = pending.pop(); set !== undefined; set = pending.pop()) {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD && selection.alias !== undefined) count += 1;
      if ('selectionSet' in selection && selection.selectionSet !== undefined) {
        pending.push(selection.selectionSet);
      }
    }
  }
  return count;
}

class ShapeWalk {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Each fragment is measured once; one under way counts as nothing. */
  readonly #depths = new Map<string, number>();
  readonly #fields = new Map<string, readonly string[]>();

  constructor(document: DocumentNode) {
    const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
    this.#fragments = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  }

  depth(set: SelectionSetNode): number {
    return Math.max(0, ...set.selections.map((selection) => this.#depthOf(selection)));
  }

  fields(set: SelectionSetNode): string[] {
    const names: string[] = [];
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) names.push(selection.name.value);
      else names.push(...this.#fieldsBehind(selection));
      if (names.length > MANY) break;
    }
    return names;
  }

  #fieldsBehind(selection: Exclude<SelectionNode, { kind: Kind.FIELD }>): readonly string[] {
    if (selection.kind === Kind.INLINE_FRAGMENT) return this.fields(selection.selectionSet);
    const name = selection.name.value;
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
    if (fragment === undefined) return [];
    this.#fields.set(name, []);
    const names = this.fields(fragment.selectionSet).slice(0, MANY + 1);
    this.#fields.set(name, names);
    return names;
  }

  #depthOf(selection: SelectionNode): number {
    if (selection.kind === Kind.INLINE_FRAGMENT) return this.depth(selection.selectionSet);
    const name = selection.name.value;
    if (selection.kind === Kind.FIELD) {
      const { selectionSet } = selection;
      const isIntrospection = name === '__schema' || name === '__type';
      return selectionSet === undefined || isIntrospection ? 1 : 1 + this.depth(selectionSet);
    }
    const known = this.#depths.get(name);
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
    if (fragment === undefined) return 0;
    this.#depths.set(name, 0);
    const depth = this.depth(fragment.selectionSet);
    this.#depths.set(name, depth);
    return depth;
  }
}
