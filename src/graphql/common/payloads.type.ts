import { GraphQLSafeInt } from 'graphql-scalars';
import { ID, Int, ObjectType } from 'type-graphql';

import { JobRun } from '../jobs/job-run.type.js';
import { payloadFields } from './mutation.js';
import { nullable } from './fields.js';

/** Payload of mutations that start a job's run or find one. */
@ObjectType()
export class RunPayload extends payloadFields({
  run: nullable(JobRun),
}) {}

/** Payload of mutations that delete. */
@ObjectType()
export class DeletePayload extends payloadFields({
  matched: Int,
  deletedIds: [ID],
  freedBytes: GraphQLSafeInt,
  run: nullable(JobRun, { description: 'Set when the work goes on in the background' }),
}) {}
