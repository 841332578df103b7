import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, ObjectType } from 'type-graphql';

import { wordsEnum } from '../common/words-enum.js';
import type { JobStatus } from '../../core/job-runner/job-registry.js';
import { connectionOf } from '../common/connection.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node } from '../nodes/node.type.js';
import { JobRun, toJobRun } from './job-run.type.js';

/** Names on the wire → values inside. */
export const JobState = wordsEnum('JobState', ['idle', 'running', 'paused', 'skipping']);
export type JobState = (typeof JobState)[keyof typeof JobState];

@ObjectType({ implements: Node })
export class Job extends Node {
  @Field(() => String)
  name!: string;

  @Field(() => String)
  title!: string;

  @Field(() => String, { description: 'What it does and what it leaves alone' })
  description!: string;

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'Null for work that is only done on demand' })
  everyMs!: number | null;

  @Field(() => JobState)
  state!: JobState;

  @Field(() => String, { nullable: true, description: 'Why it is skipped or paused' })
  reason!: string | null;

  @Field(() => String, { nullable: true, description: 'Instance that runs it; null when any does' })
  instance!: string | null;

  @Field(() => Boolean, {
    description: 'Whether runJob can start it; other jobs start from the lists they work on',
  })
  canRunNow!: boolean;

  @Field(() => Date, { nullable: true })
  nextRunAt!: Date | null;

  @Field(() => JobRun, { nullable: true })
  lastRun!: JobRun | null;
}

export const JobRunConnection = connectionOf('JobRun', () => JobRun);

/** A job for operators. */
export function toJob(status: JobStatus): Job {
  const { definition, state, reason, instance, nextRunTs, lastRun } = status;
  const { name, title, description, everyMs } = definition;
  return {
    name,
    title,
    description,
    everyMs,
    state,
    reason,
    instance,
    id: toNodeId('Job', name),
    canRunNow: definition.start !== null,
    nextRunAt: nextRunTs === null ? null : new Date(nextRunTs),
    lastRun: lastRun === null ? null : toJobRun(lastRun),
  };
}

/** Stands in for a job that rows still name and this version does not know. */
export function unknownJob(name: string): Job {
  return {
    id: toNodeId('Job', name),
    name,
    title: name,
    description: 'A job of another version of this program.',
    everyMs: null,
    state: 'idle',
    reason: null,
    instance: null,
    canRunNow: false,
    nextRunAt: null,
    lastRun: null,
  };
}
