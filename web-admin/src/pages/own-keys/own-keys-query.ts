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
    }
    keyRotation {
      ...Rotation
    }
  }
`);

export const rotationFragment = graphql(`
  fragment Rotation on KeyRotation {
    oldKeyId
    newKeyId
    obstacle
    problem
    oldSigningKeys
    step
    advice
    peerSnippets {
      software
      language
      text
    }
  }
`);

export const beginMutation = graphql(`
  mutation BeginKeyRotation($version: String) {
    beginKeyRotation(version: $version) {
      userErrors {
        code
        message
      }
      rotation {
        ...Rotation
      }
    }
  }
`);

export const retireMutation = graphql(`
  mutation RetireSigningKey($keyId: String!) {
    retireSigningKey(keyId: $keyId) {
      userErrors {
        code
        message
      }
      rotation {
        ...Rotation
      }
    }
  }
`);

export type OwnKey = OwnKeysQuery['signingKeys'][number];
export type Rotation = OwnKeysQuery['keyRotation'];
