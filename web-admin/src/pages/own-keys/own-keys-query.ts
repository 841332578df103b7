import { graphql } from '../../gql/gql.js';
import type { OwnKeysQuery } from '../../gql/graphql.js';

export const ownKeysQuery = graphql(`
  query OwnKeys {
    signingKeys {
      id
      keyId
      publicKey
      active
      fingerprint
      firstSeenAt
      retiredAt
      peerSnippets {
        software
        language
        text
      }
    }
  }
`);

export type OwnKey = OwnKeysQuery['signingKeys'][number];
