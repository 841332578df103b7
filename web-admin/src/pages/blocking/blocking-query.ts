import { graphql } from '../../gql/gql.js';
import type {
  BlockHitsQuery,
  CheckUrlQuery,
  RuleFieldsFragment,
  RuleSuggestionFieldsFragment,
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
      syntax
    }
    origin
    source
    standing
    revision
    note
    createdBy
    changedBy
    changedAt
    undoUntil
    hits
    lastHitAt
  }
`);

export const suggestionFields = graphql(`
  fragment RuleSuggestionFields on RuleSuggestion {
    list
    range
    parts {
      component
      pattern
      syntax
    }
    problem
  }
`);

export const rulesQuery = graphql(`
  query BlockRules($kind: RuleKind) {
    blockRules(kind: $kind) {
      ...RuleFields
    }
    undoableBlockRules {
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
            syntax
          }
        }
        allowing {
          ...RuleSuggestionFields
        }
        address
        requestId
        owner
      }
      pageInfo {
        ...PageEnds
      }
      totalCount {
        ...Total
      }
    }
  }
`);

export const checkQuery = graphql(`
  query CheckUrl($url: String!, $resolve: Boolean!) {
    checkUrl(url: $url, resolve: $resolve) {
      url
      blocked
      message
      components {
        name
        value
        fetchedValue
      }
      matches {
        ...RuleFields
      }
      exception {
        ...RuleFields
      }
      allowing {
        ...RuleSuggestionFields
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
            syntax
          }
        }
      }
    }
  }
`);

export type RuleData = RuleFieldsFragment;
export type SuggestionData = RuleSuggestionFieldsFragment;
export type HitRow = BlockHitsQuery['blockHits']['nodes'][number];
export type CheckData = CheckUrlQuery['checkUrl'];
