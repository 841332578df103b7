import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, Float, ObjectType } from 'type-graphql';

import type { JobRun as CoreJobRun } from '../../core/job-runner/job-run.js';
import { RunOutcome } from '../common/enums.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node } from '../nodes/node.type.js';

@ObjectType()
export class NamedCount {
  @Field(() => String)
  name!: string;

  @Field(() => GraphQLSafeInt)
  value!: number;
}

@ObjectType({ implements: Node })
export class JobRun extends Node {
  /** Name of its job, which the field `job` is found by. */
  jobName!: string;

  @Field(() => String, { description: '"job" when its time had come, "operator" when somebody asked for it' })
  cause!: string;

  @Field(() => String, { nullable: true, description: 'Who asked for it' })
  actor!: string | null;

  @Field(() => String, { nullable: true, description: 'Instance that runs it' })
  instance!: string | null;

  @Field(() => Date)
  startedAt!: Date;

  @Field(() => Date, { nullable: true })
  finishedAt!: Date | null;

  @Field(() => RunOutcome)
  outcome!: RunOutcome;

  @Field(() => Float, { nullable: true, description: '0 to 1; null when not known' })
  progress!: number | null;

  @Field(() => [NamedCount])
  counts!: NamedCount[];

  @Field(() => String, { nullable: true })
  message!: string | null;
}

/** A run for operators; bytes freed on disk are one of its counts. */
export function toJobRun(run: CoreJobRun): JobRun {
  const { cause, actor, outcome, progress, message, startedTs, finishedTs } = run;
  const counts = Object.entries(run.counts).map(([name, value]) => ({ name, value }));
  return {
    cause,
    actor,
    outcome,
    progress,
    message,
    id: toNodeId('JobRun', run.id),
    jobName: run.job,
    instance: run.instance === '' ? null : run.instance,
    startedAt: new Date(startedTs),
    finishedAt: finishedTs === null ? null : new Date(finishedTs),
    counts: run.bytes > 0 ? [...counts, { name: 'bytes', value: run.bytes }] : counts,
  };
}
