import { graphql } from '../../../gql/gql.js';
import type { TryBlockRuleMutation } from '../../../gql/graphql.js';

export const addRuleMutation = graphql(`
  mutation AddBlockRule($pattern: String!) {
    addBlockRule(pattern: $pattern) {
      userErrors {
        code
        message
      }
    }
  }
`);

export const removeRuleMutation = graphql(`
  mutation RemoveBlockRule($id: ID!) {
    removeBlockRule(id: $id) {
      userErrors {
        code
        message
      }
    }
  }
`);

export const tryRuleMutation = graphql(`
  mutation TryBlockRule($pattern: String!) {
    tryBlockRule(pattern: $pattern) {
      userErrors {
        code
        message
      }
      trial {
        tried
        refused
        examples
      }
    }
  }
`);

export type TrialData = NonNullable<TryBlockRuleMutation['tryBlockRule']['trial']>;
