import { graphql } from '../../../gql/gql.js';
import type { TryBlockRuleMutation } from '../../../gql/graphql.js';

export const addRuleMutation = graphql(`
  mutation AddBlockRule($input: AddBlockRuleInput!) {
    addBlockRule(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

export const removeRuleMutation = graphql(`
  mutation RemoveBlockRule($input: RemoveBlockRuleInput!) {
    removeBlockRule(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

export const tryRuleMutation = graphql(`
  mutation TryBlockRule($input: TryBlockRuleInput!) {
    tryBlockRule(input: $input) {
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
