import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, ID, InputType } from 'type-graphql';

import { MutationInput } from '../common/mutation.js';

@InputType()
export class DiagnoseServerInput extends MutationInput {
  @Field(() => String)
  serverName!: string;

  @Field(() => String, { nullable: true, description: 'A key ID the record should list' })
  keyId?: string | null;
}

@InputType()
export class RefreshServerKeysInput extends MutationInput {
  @Field(() => String)
  serverName!: string;

  @Field(() => [String], { nullable: true, description: 'Key IDs that should be known afterwards' })
  keyIds?: string[] | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'How long the keys should be valid afterwards',
  })
  minimumValidUntilMs?: number | null;
}

@InputType()
export class DeleteKeyRecordsInput extends MutationInput {
  @Field(() => [ID])
  ids!: string[];
}
