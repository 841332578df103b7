import { graphql } from '../../gql/gql.js';
import type { LogQuery } from '../../gql/graphql.js';

export const logQuery = graphql(`
  query Log {
    log {
      origin
      verifierKey
      size
      checkpoint
      checkpointAt
      mergeDelayMs
      maximumMergeDelayMs
      waiting
      damage
      quorum
      witnessedSize
      unwitnessedMs
      witnesses {
        name
        verifierKey
        url
        lastCosignedAt
        lastCosignedSize
        failures
        lastError
        lastErrorAt
      }
    }
  }
`);

export type LogData = NonNullable<LogQuery['log']>;
export type WitnessData = LogData['witnesses'][number];
