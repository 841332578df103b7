import { graphql } from '../../gql/gql.js';
import type { AuditPageQuery } from '../../gql/graphql.js';

export const auditQuery = graphql(`
  query AuditPage($first: Int, $after: String, $filter: AuditFilter) {
    auditEvents(first: $first, after: $after, filter: $filter) {
      nodes {
        id
        at
        actor
        role
        method
        action
        targetType
        targetId
        summary
        outcome
        address
        requestId
        detail
      }
      pageInfo {
        ...PageEnds
      }
      totalCount
    }
  }
`);

export type AuditRow = AuditPageQuery['auditEvents']['nodes'][number];
