import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';

import type { WitnessStatus } from '../../core/notary/log/checkpoint-offers.js';
import type { LogView } from '../../core/operators/log/log-status.js';
import { toDate } from '../common/dates.js';
import { field, nullable, objectFields } from '../common/fields.js';

@ObjectType({ description: 'A witness that checkpoints of the log are offered to' })
export class LogWitness extends objectFields({
  name: String,
  verifierKey: String,
  url: String,
  lastCosignedAt: nullable(Date),
  lastCosignedSize: nullable(Int),
  failures: field(Int, { description: 'Offers in a row that ended without a cosignature' }),
  lastError: nullable(String, { description: 'Why the last failed offer failed; kept after a cosignature' }),
  lastErrorAt: nullable(Date),
}) {}

@ObjectType({ description: 'The log of what this service vouches for' })
export class Log extends objectFields({
  origin: String,
  verifierKey: field(String, { description: 'By which others check the log' }),
  size: Int,
  checkpoint: field(String, { description: 'The last one as it is served, with the cosignatures it has' }),
  checkpointAt: Date,
  mergeDelayMs: GraphQLSafeInt,
  maximumMergeDelayMs: GraphQLSafeInt,
  damage: nullable(String, { description: 'Why the log has been stopped' }),
  quorum: field(Int, { description: 'Cosignatures that make a checkpoint a witnessed one' }),
  witnessedSize: field(Int, { description: 'Entries of the last witnessed checkpoint' }),
  unwitnessedMs: field(GraphQLSafeInt, { description: 'How long there have been entries beyond it' }),
  witnesses: [LogWitness],
}) {}

export function toLog({ signedTs, witnesses, ...view }: LogView): Log {
  return { ...view, checkpointAt: new Date(signedTs), witnesses: witnesses.map(toLogWitness) };
}

function toLogWitness({ witness, cosigned, failures, failed }: WitnessStatus): LogWitness {
  return {
    name: witness.key.name,
    verifierKey: witness.key.text,
    url: witness.url.href,
    lastCosignedAt: toDate(cosigned?.ts ?? null),
    lastCosignedSize: cosigned?.size ?? null,
    failures,
    lastError: failed?.error ?? null,
    lastErrorAt: toDate(failed?.ts ?? null),
  };
}
