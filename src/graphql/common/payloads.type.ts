import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';

import { Job, JobRun } from '../jobs/job.type.js';
import { field, nullable } from './fields.js';
import { payloadFields } from './mutation.js';

@ObjectType({ description: 'A job or its run after a change' })
export class JobPayload extends payloadFields({
  job: nullable(Job, 'The paused or resumed job'),
  run: nullable(JobRun, 'The started, running or cancelled run'),
}) {}

@ObjectType({ description: 'Result of a deletion' })
export class DeletePayload extends payloadFields({
  matched: field(Int, 'Number of matching objects'),
  deleted: field(Int, 'Number of deleted objects; 0 if a job deletes them'),
  freedBytes: field(GraphQLSafeInt, 'Bytes freed on disk'),
  run: nullable(JobRun, 'Job run that deletes them in the background'),
}) {}
