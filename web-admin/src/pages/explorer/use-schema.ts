import { useQuery } from '@tanstack/react-query';
import { buildSchema, type GraphQLSchema } from 'graphql';

import schemaAddress from '../../../schema.graphql?url';
import { RequestError } from '../../api/request-error.js';

/** The schema that these pages were built with, which is the server's. */
export function useSchema() {
  return useQuery<GraphQLSchema, RequestError>({
    queryKey: ['schema', schemaAddress],
    queryFn: async ({ signal }) => {
      const response = await fetch(schemaAddress, { signal }).catch(() => null);
      if (response === null || !response.ok) throw new RequestError('NETWORK', 'The schema cannot be loaded');
      return buildSchema(await response.text());
    },
    staleTime: Infinity,
  });
}
