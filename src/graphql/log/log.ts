import { GraphQLSafeInt } from 'graphql-scalars';
import { Ctx, ID, Int, ObjectType, Query, Resolver } from 'type-graphql';

import type { WitnessStatus } from '../../core/notary/log/checkpoint-offers.js';
import { findEvents } from '../../core/operators/keys/key-events.js';
import { countWaiting, proveRecord } from '../../core/operators/keys/key-records.js';
import { toDate } from '../common/dates.js';
import { field, nullable, objectFields, keyOfNodeId, rowOfNodeId } from '../common/fields.js';
import { Detail } from '../common/operations.js';
import type { GraphqlContext } from '../context.js';
import { recordIdOfKey } from '../keys/key-record.js';

@ObjectType({ description: 'A witness of the log' })
class LogWitness extends objectFields({
  name: field(String, 'Name in cosignatures'),
  verifierKey: field(String, 'Key that verifies its cosignatures'),
  url: field(String, 'Where checkpoints are submitted'),
  lastCosignedAt: nullable(Date, 'When it last cosigned; null: never'),
  lastCosignedSize: nullable(Int, 'Size of the checkpoint it last cosigned; null: never'),
  failures: field(Int, 'Consecutive failed submissions'),
  lastError: nullable(String, 'Why the last failed submission failed'),
  lastErrorAt: nullable(Date, 'When the last failed submission failed; null: never'),
}) {}

@ObjectType({ description: 'The transparency log of the records this server has signed' })
class Log extends objectFields({
  origin: field(String, 'Name in checkpoints'),
  verifierKey: field(String, 'Key that verifies checkpoints'),
  size: field(Int, 'Entries of the last checkpoint'),
  checkpoint: field(String, 'The last checkpoint with its cosignatures'),
  checkpointAt: field(Date, 'When the last checkpoint was signed'),
  mergeDelayMs: field(GraphQLSafeInt, 'Age of the oldest pending entry; 0 without one'),
  maximumMergeDelayMs: field(GraphQLSafeInt, 'Limit of this age'),
  damage: nullable(String, 'Why the log was stopped; null while it works'),
  quorum: field(Int, 'Cosignatures that a witnessed checkpoint needs'),
  witnessedSize: field(Int, 'Entries of the last witnessed checkpoint'),
  witnesses: field([LogWitness], 'Configured witnesses'),
}) {}

@Resolver(() => Log)
export class LogResolver {
  @Query(() => Log, { nullable: true, description: 'The transparency log; null if it is off' })
  log(@Ctx() { services }: GraphqlContext): Log | null {
    if (services.log === null) return null;
    const { key, log, offers, maximumMergeDelayMs } = services.log;
    const { size, checkpoint, mergeDelayMs, damage } = log;
    return {
      origin: key.name,
      verifierKey: key.verifierKey,
      size,
      checkpoint,
      checkpointAt: toDate(log.signed.signedTs),
      mergeDelayMs,
      maximumMergeDelayMs,
      damage,
      quorum: offers.quorum,
      witnessedSize: log.witnessed?.size ?? 0,
      witnesses: offers.statuses.map(toLogWitness),
    };
  }

  @Detail(Int, 'Pending entries, counted up to 100,000')
  async waiting(_: Log, { services }: GraphqlContext): Promise<number> {
    return services.log === null ? 0 : countWaiting(services.database);
  }

  @Detail(String, 'Proof that the log contains a record, as tlog-proof; null without one', {
    nullable: true,
    given: { id: field(ID, 'ID of a key record, or of a key event that came with it') },
  })
  async proof(_: Log, { services }: GraphqlContext, { id }: { id: string }): Promise<string | null> {
    const { log, database } = services;
    const seq = rowOfNodeId('KeyEvent', id);
    const [event] = seq === null ? [] : await findEvents(database, [seq]);
    const recordId = event?.recordId ?? recordIdOfKey(keyOfNodeId('KeyRecord', id) ?? '');
    return recordId === null || log === null ? null : proveRecord(database, log.log, recordId);
  }
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
