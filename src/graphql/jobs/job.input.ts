import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';

import { RunOutcome } from '../common/enums.js';
import { MutationInput } from '../common/mutation.js';

@ArgsType()
export class RunsArgs {
  @Field(() => Int, { nullable: true, defaultValue: 20 })
  first?: number | null;

  @Field(() => String, { nullable: true })
  after?: string | null;

  @Field(() => RunOutcome, { nullable: true })
  outcome?: RunOutcome | null;
}

@InputType()
export class RunJobInput extends MutationInput {
  @Field(() => String)
  name!: string;
}

@InputType()
export class CancelJobRunInput extends MutationInput {
  @Field(() => ID)
  id!: string;
}

@InputType()
export class SetJobPausedInput extends MutationInput {
  @Field(() => String)
  name!: string;

  @Field(() => Boolean)
  paused!: boolean;

  @Field(() => String, { nullable: true })
  reason?: string | null;
}
