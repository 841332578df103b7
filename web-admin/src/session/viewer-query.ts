import { graphql } from '../gql/gql.js';

export const viewerQuery = graphql(`
  query Viewer {
    viewer {
      name
      role
      method
      can
      sendsText
      commandLine {
        program
        options
      }
      session {
        id
        expiresAt
      }
    }
  }
`);
