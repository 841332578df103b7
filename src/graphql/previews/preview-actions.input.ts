import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, ID, InputType, Int } from 'type-graphql';

import { MutationInput } from '../common/mutation.js';
import { PreviewFilter } from './preview-list.input.js';

@InputType()
export class TryPreviewInput extends MutationInput {
  @Field(() => String)
  url!: string;

  @Field(() => GraphQLSafeInt, { nullable: true })
  ts?: number | null;

  @Field(() => Boolean, { defaultValue: false })
  ignoreCaches!: boolean;

  @Field(() => Boolean, { defaultValue: false })
  store!: boolean;

  @Field(() => [String], { nullable: true })
  acceptLanguage?: string[] | null;
}

@InputType()
export class RefreshPreviewsInput extends MutationInput {
  @Field(() => [ID])
  ids!: string[];
}

@InputType({
  description:
    'Give ids or filter, never both. With filter, expectedCount must equal what dryRun reported, or COUNT_MISMATCH',
})
export class DeletePreviewsInput extends MutationInput {
  @Field(() => [ID], { nullable: true })
  ids?: string[] | null;

  @Field(() => PreviewFilter, { nullable: true })
  filter?: PreviewFilter | null;

  @Field(() => Int, { nullable: true })
  expectedCount?: number | null;

  @Field(() => Boolean, { defaultValue: false })
  dryRun!: boolean;

  @Field(() => Boolean, { defaultValue: true })
  withMedia!: boolean;
}

@InputType()
export class ForgetMemoryPreviewsInput extends MutationInput {
  @Field(() => [ID], { nullable: true })
  ids?: string[] | null;

  @Field(() => Boolean, { defaultValue: false })
  failedOnly!: boolean;
}
