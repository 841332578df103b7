import { graphql } from '../../gql/gql.js';
import type {
  BlockHitsQuery,
  CheckUrlQuery,
  RuleFieldsFragment,
  TryBlockRuleMutation,
} from '../../gql/graphql.js';

export const ruleFields = graphql(`
  fragment RuleFields on BlockRule {
    id
    kind
    setting
    position
    parts {
      component
      pattern
    }
    origin
    source
    createdBy
    createdAt
    hits
    lastHitAt
  }
`);

export const rulesQuery = graphql(`
  query BlockRules($kind: RuleKind) {
    blockRules(kind: $kind) {
      ...RuleFields
    }
  }
`);

export const hitsQuery = graphql(`
  query BlockHits($first: Int, $after: String, $filter: HitFilter) {
    blockHits(first: $first, after: $after, filter: $filter) {
      nodes {
        id
        at
        url
        stage
        ruleText
        rule {
          id
          source
          parts {
            component
            pattern
          }
        }
        address
        requestId
        owner
      }
      pageInfo {
        ...PageEnds
      }
      totalCount
    }
  }
`);

export const checkQuery = graphql(`
  query CheckUrl($url: String!, $resolve: Boolean!) {
    checkUrl(url: $url, resolve: $resolve) {
      url
      blocked
      message
      matches {
        ...RuleFields
      }
      addresses {
        address
        allowed
        rule {
          id
          setting
          origin
          source
          parts {
            component
            pattern
          }
        }
      }
    }
  }
`);

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
export type RuleData = RuleFieldsFragment;
export type HitRow = BlockHitsQuery['blockHits']['nodes'][number];
export type CheckData = CheckUrlQuery['checkUrl'];
