import { ArgsType, ID, InputType, Int } from 'type-graphql';

import { RunOutcome } from '../common/enums.js';
import { mutationInputFields } from '../common/mutation.js';
import { nullable } from '../common/fields.js';
import { forwardArgs } from '../common/page-args.js';

@ArgsType()
export class RunsArgs extends forwardArgs({
  first: nullable(Int, { defaultValue: 20 }),
  outcome: nullable(RunOutcome),
}) {}

@InputType()
export class RunJobInput extends mutationInputFields({
  name: String,
}) {}

@InputType()
export class CancelJobRunInput extends mutationInputFields({
  id: ID,
}) {}

@InputType()
export class SetJobPausedInput extends mutationInputFields({
  name: String,
  paused: Boolean,
  reason: nullable(String),
}) {}
