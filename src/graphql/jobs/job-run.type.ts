import { GraphQLSafeInt } from 'graphql-scalars';
import { Float, ObjectType } from 'type-graphql';

import type { JobRun as CoreJobRun } from '../../core/job-runner/job-run.js';
import { RunOutcome } from '../common/enums.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';
import { field, nullable, objectFields } from '../common/fields.js';
import { withDates } from '../common/dates.js';

@ObjectType()
export class NamedCount extends objectFields({
  name: String,
  value: GraphQLSafeInt,
}) {}

@ObjectType({ implements: Node })
export class JobRun extends nodeFields({
  cause: field(String, {
    description: '"job" when its time had come, "operator" when somebody asked for it',
  }),
  actor: nullable(String, { description: 'Who asked for it' }),
  instance: nullable(String, { description: 'Instance that runs it' }),
  startedAt: Date,
  finishedAt: nullable(Date),
  outcome: RunOutcome,
  progress: nullable(Float, { description: '0 to 1; null when not known' }),
  counts: [NamedCount],
  message: nullable(String),
}) {
  /** Name of its job, which the field `job` is found by. */
  jobName!: string;
}

/** A run for operators; bytes freed on disk are one of its counts. */
export function toJobRun(run: CoreJobRun): JobRun {
  const counts = Object.entries(run.counts).map(([name, value]) => ({ name, value }));
  return {
    ...withDates(run),
    id: toNodeId('JobRun', run.id),
    jobName: run.job,
    instance: run.instance === '' ? null : run.instance,
    counts: run.bytes > 0 ? [...counts, { name: 'bytes', value: run.bytes }] : counts,
  };
}
