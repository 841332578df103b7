import { graphql } from '../../gql/gql.js';

/** Spread `...TraceStep` in an operation whose steps go to TraceList. */
export const traceStepFragment = graphql(`
  fragment TraceStep on TraceStep {
    name
    title
    status
    startedAtMs
    durationMs
    message
    advice
    detail
  }
`);
