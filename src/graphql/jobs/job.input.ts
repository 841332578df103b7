import { ArgsType, ID, Int } from 'type-graphql';

import { RunOutcome } from '../common/enums.js';
import { mutationArgs } from '../common/mutation.js';
import { nullable } from '../common/fields.js';
import { forwardArgs } from '../common/page-args.js';

@ArgsType()
export class RunsArgs extends forwardArgs({
  first: nullable(Int, { defaultValue: 20 }),
  outcome: nullable(RunOutcome),
}) {}

@ArgsType()
export class RunJobArgs extends mutationArgs({
  name: String,
}) {}

@ArgsType()
export class CancelJobRunArgs extends mutationArgs({
  id: ID,
}) {}

@ArgsType()
export class SetJobPausedArgs extends mutationArgs({
  name: String,
  paused: Boolean,
  reason: nullable(String),
}) {}
