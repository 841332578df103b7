import { graphql } from '../../gql/gql.js';
import type { JobFieldsFragment, JobRunFieldsFragment } from '../../gql/graphql.js';

export const jobFields = graphql(`
  fragment JobFields on Job {
    id
    name
    title
    description
    everyMs
    state
    reason
    instance
    canRunNow
    nextRunAt
    lastRun {
      ...JobRunFields
    }
  }
`);

export const jobRunFields = graphql(`
  fragment JobRunFields on JobRun {
    id
    cause
    actor
    instance
    startedAt
    finishedAt
    outcome
    progress
    counts {
      name
      value
    }
    message
  }
`);

export const jobsQuery = graphql(`
  query JobsPage {
    jobs {
      ...JobFields
    }
  }
`);

export const jobQuery = graphql(`
  query JobPage($name: String!, $first: Int, $after: String, $outcome: RunOutcome) {
    job(name: $name) {
      ...JobFields
      runs(first: $first, after: $after, outcome: $outcome) {
        nodes {
          ...JobRunFields
        }
        pageInfo {
          ...PageEnds
        }
        totalCount
      }
    }
  }
`);

export const jobRunQuery = graphql(`
  query JobRunPage($id: ID!) {
    jobRun(id: $id) {
      ...JobRunFields
      job {
        id
        name
        title
        description
      }
    }
  }
`);

export type JobData = JobFieldsFragment;
export type RunData = JobRunFieldsFragment;
