import { graphql } from '../../gql/gql.js';

/** A few of each, as their lists find them: bounded, and without what is hidden from this role. */
export const jumpQuery = graphql(`
  query Jump($text: String!) {
    servers(first: 5, filter: { search: $text }) {
      nodes {
        name
      }
    }
    previews(first: 5, filter: { search: $text }) {
      nodes {
        id
        url
        host
      }
    }
    media(first: 4, filter: { search: $text }) {
      nodes {
        mediaId
      }
    }
  }
`);
