import { Field, ID, InputType, Int } from 'type-graphql';

import { MutationInput } from '../common/mutation.js';
import { MediaFilter } from './media-list.input.js';

@InputType()
export class DeleteMediaInput extends MutationInput {
  @Field(() => [ID], { nullable: true })
  ids?: string[] | null;

  @Field(() => MediaFilter, { nullable: true })
  filter?: MediaFilter | null;

  @Field(() => Int, { nullable: true })
  expectedCount?: number | null;

  @Field(() => Boolean, { defaultValue: false })
  dryRun!: boolean;
}
