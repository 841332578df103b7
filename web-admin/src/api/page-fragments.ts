import { graphql } from '../gql/gql.js';

/** Spread `...PageEnds` in the `pageInfo` of a list that is turned page by page. */
export const pageEndsFragment = graphql(`
  fragment PageEnds on PageInfo {
    hasNextPage
    hasPreviousPage
    startCursor
    endCursor
  }
`);
