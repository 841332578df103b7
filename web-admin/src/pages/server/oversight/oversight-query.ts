import { graphql } from '../../../gql/gql.js';
import type { ServerOversightQuery } from '../../../gql/graphql.js';

export const serverOversightQuery = graphql(`
  query ServerOversight($name: String!) {
    webhooks {
      name
      host
      tells
    }
    serverOversight(name: $name) {
      watches {
        ...OversightRuleFields
      }
      pin {
        ...OversightRuleFields
      }
      contradictingKeyIds
      crossChecks {
        notary
        result
        message
        at
      }
      keys {
        keyId
        publicKey
      }
    }
  }
`);

export type OversightData = ServerOversightQuery['serverOversight'];
