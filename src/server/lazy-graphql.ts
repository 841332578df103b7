import type { AppContext } from '../composition/context.js';
import { Remembered } from '../core/base/remembered.js';
import type { GraphqlExecutor } from '../rest/operators/graphql-routes.js';

/** Loaded when the first operation comes: its libraries and the schema take memory, and time of each start. */
export function lazyGraphql(context: AppContext): GraphqlExecutor | null {
  if (!context.config.listeners.some(({ resources }) => resources.includes('admin'))) return null;
  const server = new Remembered(async () => {
    const { startGraphql } = await import('../graphql/server/start.js');
    return startGraphql({
      services: () => context.services.operators,
      adHoc: context.config.admin.graphql.ad_hoc,
      logger: context.parts.logger,
    });
  });
  return { execute: async (call) => (await server.get()).execute(call) };
}
