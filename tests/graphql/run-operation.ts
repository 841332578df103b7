import { graphql, type GraphQLSchema } from 'graphql';

import type { OperatorServices } from '../../src/core/operators/operator-services.js';
import { AuditNote } from '../../src/core/access/operators/audit.js';
import type { Role } from '../../src/core/access/operators/viewer.js';
import { BatchLoaders, type GraphqlContext } from '../../src/graphql/context.js';
import { createSchema } from '../../src/graphql/schema.js';

/** An answer as clients read it. */
export interface OperationResult {
  // Tests state what they expect; nothing to gain from types here.
  // eslint-disable-next-line typescript/no-explicit-any
  data: any;
  errors: { message: string; code: unknown }[];
}

/** Runs operations against real services, behind the listener with its limits. */
export class OperationRunner {
  readonly #schema: GraphQLSchema = createSchema();

  constructor(private readonly services: OperatorServices) {}

  async run(
    source: string,
    variables: Record<string, unknown> = {},
    role: Role = 'admin',
  ): Promise<OperationResult> {
    const loaders = new BatchLoaders(() => context);
    const context: GraphqlContext = {
      viewer: { name: '@op:test', role, method: 'token', sessionId: null, tokenId: null, address: null },
      requestId: 'request',
      address: null,
      services: this.services,
      loaders,
      audit: new AuditNote(),
      signal: new AbortController().signal,
      onStage: null,
    };
    const result = await graphql({
      schema: this.#schema,
      source,
      variableValues: variables,
      contextValue: context,
    });
    const text = JSON.stringify(result.data ?? null);
    const errors = (result.errors ?? []).map(({ message, extensions }) => ({
      message,
      code: extensions['code'],
    }));
    return { data: JSON.parse(text) as unknown, errors };
  }
}
