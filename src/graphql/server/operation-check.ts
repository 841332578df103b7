import { parse, type DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

import { graphqlError } from '../common/graphql-errors.js';
import { tooComplex } from '../limits/complexity.js';
import { countAliases, operationOf, shapeOf, type OperationShape } from '../limits/document-shape.js';
import type { GraphqlLimits } from '../limits/limits.js';

/** Documents that are kept; each is at most as long as a body. */
const MAX_KEPT = 200;

/** Checks documents before anything else looks at them, each text once. */
export class OperationCheck {
  readonly #known = new LRUCache<string, { document: DocumentNode; aliases: number }>({ max: MAX_KEPT });

  constructor(private readonly limits: GraphqlLimits) {}

  /**
   * The shape of the operation that is meant. Throws `GRAPHQL_PARSE_FAILED` for what is not GraphQL, `BAD_REQUEST` when
   * it is not clear which operation is meant, and `QUERY_TOO_COMPLEX` above a limit.
   */
  check(text: string, operationName: string | null): OperationShape {
    const { document, aliases } = this.#read(text);
    refuseAbove('number of aliases', this.limits.aliases, aliases);
    const operation = operationOf(document, operationName);
    if (operation === null) {
      const wanted =
        operationName === null ? 'Name one of the operations' : 'There is no operation of that name';
      throw graphqlError('BAD_REQUEST', wanted);
    }
    const shape = shapeOf(document, operation);
    refuseAbove('depth', this.limits.depth, shape.depth);
    refuseAbove('number of fields of the operation', this.limits.rootFields, shape.rootFields.length);
    return shape;
  }

  #read(text: string): { document: DocumentNode; aliases: number } {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    try {
      const document = parse(text, { maxTokens: this.limits.tokens });
      const read = { document, aliases: countAliases(document) };
      this.#known.set(text, read);
      return read;
    } catch (error) {
      throw graphqlError('GRAPHQL_PARSE_FAILED', error instanceof Error ? error.message : 'Syntax Error');
    }
  }
}

function refuseAbove(what: string, limit: number, actual: number): void {
  if (actual > limit) throw tooComplex(what, limit, actual);
}
