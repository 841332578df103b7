import { graphql } from '../../gql/gql.js';
import type { ServerFetchesQuery, ServerPageQuery, ServerEventsQuery } from '../../gql/graphql.js';

export const serverQuery = graphql(`
  query ServerPage($name: String!) {
    server(name: $name) {
      id
      name
      federationAllowed
      worstState
      needsLook
      alarms {
        id
        at
        kind
        message
        keyId
      }
      validUntil
      refetchAfter
      failCount
      failureCause
      backoffUntil
      lastFetch {
        id
        startedAt
        outcome
        message
      }
      keyCount
      records {
        id
        keyId
        kind
        key
        state
        addedAt
        validUntil
        validUntilMs
        refetchAfter
        expiredAt
        signatures {
          signer
          keyId
          valid
          message
        }
        published
      }
    }
  }
`);

export const fetchesQuery = graphql(`
  query ServerFetches($name: String!, $first: Int, $after: String, $outcome: FetchOutcome) {
    server(name: $name) {
      id
      fetches(first: $first, after: $after, outcome: $outcome) {
        nodes {
          id
          startedAt
          durationMs
          outcome
          message
          cause
          steps {
            ...TraceStep
          }
        }
        pageInfo {
          ...PageEnds
        }
      }
    }
  }
`);

export const eventsQuery = graphql(`
  query ServerEvents($name: String!, $after: String) {
    server(name: $name) {
      id
      events(first: 50, after: $after) {
        nodes {
          id
          at
          kind
          severity
          message
          keyId
          detail
          acknowledgement {
            at
            actor
            reason
          }
          hasRecord
        }
        pageInfo {
          ...PageEnds
        }
      }
    }
  }
`);

export const serverReportFragment = graphql(`
  fragment ServerReportParts on DiagnoseServerPayload {
    serverName
    ok
    resolvedTo
    published
    checkedAt
    steps {
      ...TraceStep
    }
  }
`);

export const diagnoseMutation = graphql(`
  mutation DiagnoseServer($keyId: String, $serverName: String!) {
    diagnoseServer(keyId: $keyId, serverName: $serverName) {
      userErrors {
        code
        message
      }
      ...ServerReportParts
    }
  }
`);

export const acknowledgeMutation = graphql(`
  mutation AcknowledgeKeyAlarm($serverName: String!, $throughId: ID!, $reason: String!) {
    acknowledgeKeyAlarm(serverName: $serverName, throughId: $throughId, reason: $reason) {
      userErrors {
        code
        message
      }
      server {
        id
      }
    }
  }
`);

/** Of records or of servers. */
export const deleteRecordsMutation = graphql(`
  mutation DeleteKeyRecords($ids: [ID!]!) {
    deleteKeyRecords(ids: $ids) {
      userErrors {
        code
        message
      }
      deleted
    }
  }
`);

export type ServerData = NonNullable<ServerPageQuery['server']>;
export type RecordData = ServerData['records'][number];
export type FetchData = NonNullable<ServerFetchesQuery['server']>['fetches']['nodes'][number];
export type EventData = NonNullable<ServerEventsQuery['server']>['events']['nodes'][number];
