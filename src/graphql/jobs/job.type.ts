import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';

import { wordsEnum } from '../common/enums.js';
import type { JobStatus } from '../../core/job-runner/job-registry.js';
import { connectionOf } from '../common/connection.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';
import { JobRun, toJobRun } from './job-run.type.js';
import { field, nullable } from '../common/fields.js';
import { toDate } from '../common/dates.js';

export const JobState = wordsEnum('JobState', ['idle', 'running', 'paused', 'skipping']);

@ObjectType({ implements: Node })
export class Job extends nodeFields({
  name: String,
  title: String,
  description: field(String, { description: 'What it does and what it leaves alone' }),
  everyMs: nullable(GraphQLSafeInt, { description: 'Null for work that is only done on demand' }),
  state: JobState,
  reason: nullable(String, { description: 'Why it is skipped or paused' }),
  instance: nullable(String, { description: 'Instance that runs it; null when any does' }),
  canRunNow: field(Boolean, {
    description: 'Whether runJob can start it; other jobs start from the lists they work on',
  }),
  nextRunAt: nullable(Date),
  lastRun: nullable(JobRun),
}) {}

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
    nextRunAt: toDate(nextRunTs),
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
