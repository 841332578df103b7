import { graphql } from '../../gql/gql.js';
import type {
  DeliveriesPageQuery,
  OversightRuleFieldsFragment,
  WatchesPageQuery,
} from '../../gql/graphql.js';

export const oversightRuleFields = graphql(`
  fragment OversightRuleFields on OversightRule {
    kind
    name
    createdBy
    createdAt
    webhook
    program
    mode
    url
    keys {
      keyId
      publicKey
    }
  }
`);

export const watchesQuery = graphql(`
  query WatchesPage {
    webhooks {
      name
      host
      tells
    }
    oversightRules {
      ...OversightRuleFields
    }
  }
`);

export const deliveriesQuery = graphql(`
  query DeliveriesPage($after: String, $filter: DeliveryFilter) {
    deliveries(first: 25, after: $after, filter: $filter) {
      nodes {
        id
        channel
        destination
        subject
        kind
        state
        attempts
        message
        createdAt
        nextTryAt
        finishedAt
      }
      pageInfo {
        ...PageEnds
      }
    }
  }
`);

export const setWatchMutation = graphql(`
  mutation SetWatch($input: SetWatchInput!) {
    setWatch(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

export const removeWatchMutation = graphql(`
  mutation RemoveWatch($input: RemoveOversightInput!) {
    removeWatch(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

export const setPinMutation = graphql(`
  mutation SetPin($input: SetPinInput!) {
    setPin(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

export const removePinMutation = graphql(`
  mutation RemovePin($input: RemoveOversightInput!) {
    removePin(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

export const setNotaryMutation = graphql(`
  mutation SetNotary($input: SetNotaryInput!) {
    setNotary(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

export const removeNotaryMutation = graphql(`
  mutation RemoveNotary($input: RemoveOversightInput!) {
    removeNotary(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

export const testWebhookMutation = graphql(`
  mutation TestWebhook($input: TestWebhookInput!) {
    testWebhook(input: $input) {
      userErrors {
        code
        message
      }
      delivery {
        state
        message
      }
    }
  }
`);

export type RuleData = OversightRuleFieldsFragment;
export type WebhookData = WatchesPageQuery['webhooks'][number];
export type DeliveryData = DeliveriesPageQuery['deliveries']['nodes'][number];
