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

export const changeRuleMutation = graphql(`
  mutation ChangeBlockRule($input: ChangeBlockRuleInput!) {
    changeBlockRule(input: $input) {
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

export const undoRuleMutation = graphql(`
  mutation UndoBlockRule($input: UndoBlockRuleInput!) {
    undoBlockRule(input: $input) {
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
        looked
        unjudged
        isCut
        opensInternal
        newlyRefused {
          count
          examples
        }
        newlyAllowed {
          count
          examples
        }
      }
    }
  }
`);

export const rulesYamlQuery = graphql(`
  query BlockRulesYaml {
    blockRulesYaml
  }
`);

export type TrialData = NonNullable<TryBlockRuleMutation['tryBlockRule']['trial']>;
