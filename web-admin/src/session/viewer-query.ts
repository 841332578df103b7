import { graphql } from '../gql/gql.js';

export const viewerQuery = graphql(`
  query Viewer {
    viewer {
      name
      role
      method
      can
      sendsText
      session {
        id
        expiresAt
      }
    }
  }
`);
