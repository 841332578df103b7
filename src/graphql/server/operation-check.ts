import { parse, type DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

import { graphqlError } from '../common/graphql-errors.js';
import { tooComplex } from '../limits/complexity.js';
import { countAliases, operationOf, shapeOf, type OperationShape } from '../limits/document-shape.js';
import type { GraphqlLimits } from '../limits/limits.js';

/** Texts that are kept with what is known of them; a text is at most as long as a body. */
const MAX_KEPT = 200;

interface Known {
  document: DocumentNode;
  aliases: number;
  shapes: Map<string | null, OperationShape>;
}

/** Looks at documents before anything else does, each text once. */
export class OperationCheck {
  readonly #known = new LRUCache<string, Known>({ max: MAX_KEPT });

  constructor(private readonly limits: GraphqlLimits) {}

  /**
   * The shape of the operation that is meant. Throws `GRAPHQL_PARSE_FAILED` for what is no GraphQL, `BAD_REQUEST` when
   * it is not clear which operation is meant, and `QUERY_TOO_COMPLEX` above a limit.
   */
  check(text: string, operationName: string | null): OperationShape {
    const { document, aliases, shapes } = this.#read(text);
    refuseAbove('number of aliases', this.limits.aliases, aliases);
    const shape = shapes.get(operationName) ?? measure(document, operationName);
    shapes.set(operationName, shape);
    refuseAbove('depth', this.limits.depth, shape.depth);
    refuseAbove('number of fields of the operation', this.limits.rootFields, shape.rootFields.length);
    return shape;
  }

  #read(text: string): Known {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const document = parseDocument(text, this.limits.tokens);
    const read: Known = { document, aliases: countAliases(document), shapes: new Map() };
    this.#known.set(text, read);
    return read;
  }
}

function measure(document: DocumentNode, operationName: string | null): OperationShape {
  const operation = operationOf(document, operationName);
  if (operation !== null) return shapeOf(document, operation);
  const wanted = operationName === null ? 'Name one of the operations' : 'There is no operation of that name';
  throw graphqlError('BAD_REQUEST', wanted);
}

function parseDocument(text: string, maxTokens: number): DocumentNode {
  try {
    return parse(text, { maxTokens });
  } catch (error) {
    throw parseFailed(error instanceof Error ? error.message : 'Syntax Error');
  }
}

function parseFailed(message: string): Error {
  return graphqlError('GRAPHQL_PARSE_FAILED', message);
}

function refuseAbove(what: string, limit: number, actual: number): void {
  if (actual > limit) throw tooComplex(what, limit, actual);
}
