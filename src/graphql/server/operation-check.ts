import { Kind, parse, type DocumentNode, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import { LRUCache } from 'lru-cache';

import { graphqlError } from '../common/graphql-errors.js';
import { tooComplex } from '../limits/complexity.js';
import type { GraphqlLimits } from '../limits/limits.js';

/** What is known of an operation without the schema. */
export interface OperationShape {
  kind: 'query' | 'mutation' | 'subscription';
  /** Names of the operation's own fields as often as they are selected, through fragments. */
  rootFields: readonly string[];
}

/** Documents that are kept; each is at most as long as a body. */
const MAX_KEPT = 200;
/** More than any limit: fragments that double are not unfolded further. */
const MANY = 100;

/** Checks documents before anything else looks at them, each text once. */
export class OperationCheck {
  readonly #known = new LRUCache<string, DocumentNode>({ max: MAX_KEPT });

  constructor(private readonly limits: Pick<GraphqlLimits, 'tokens' | 'rootFields'>) {}

  /**
   * The shape of the operation that is meant. Throws `GRAPHQL_PARSE_FAILED` for what is not GraphQL, `BAD_REQUEST` when
   * it is not clear which operation is meant, and `QUERY_TOO_COMPLEX` for too many fields.
   */
  check(text: string, operationName: string | null): OperationShape {
    const document = this.#known.get(text) ?? this.#parse(text);
    this.#known.set(text, document);
    const operation = operationOf(document, operationName);
    if (operation === null)
      throw graphqlError(
        'BAD_REQUEST',
        operationName === null ? 'Name one of the operations' : 'There is no operation of that name',
      );
    const rootFields = rootFieldsOf(document, operation);
    const limit = this.limits.rootFields;
    if (rootFields.length > limit) throw tooComplex('number of root fields', limit, rootFields.length);
    return { kind: operation.operation, rootFields };
  }

  #parse(text: string): DocumentNode {
    try {
      return parse(text, { maxTokens: this.limits.tokens });
    } catch (error) {
      throw graphqlError('GRAPHQL_PARSE_FAILED', error instanceof Error ? error.message : 'Syntax Error');
    }
  }
}

/** The operation that a request means; `null` when it names none or more than one could be meant. */
function operationOf({ definitions }: DocumentNode, name: string | null): OperationDefinitionNode | null {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (name === null) return operations.length === 1 ? (operations[0] ?? null) : null;
  return operations.find((operation) => operation.name?.value === name) ?? null;
}

/** Reads each fragment once. Fragments that contain themselves are left to validation. */
function rootFieldsOf({ definitions }: DocumentNode, operation: OperationDefinitionNode): string[] {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const sets = new Map(fragments.map(({ name, selectionSet }) => [name.value, selectionSet]));
  const known = new Map<string, string[]>();
  const namesIn = ({ selections }: SelectionSetNode): string[] =>
    selections
      .flatMap((selection) => {
        if (selection.kind === Kind.FIELD) return [selection.name.value];
        if (selection.kind === Kind.INLINE_FRAGMENT) return namesIn(selection.selectionSet);
        return namesOfFragment(selection.name.value);
      })
      .slice(0, MANY);
  const namesOfFragment = (name: string): string[] => {
    const set = sets.get(name);
    const found = known.get(name);
    if (found !== undefined || set === undefined) return found ?? [];
    known.set(name, []);
    const names = namesIn(set);
    known.set(name, names);
    return names;
  };
  return namesIn(operation.selectionSet);
}
