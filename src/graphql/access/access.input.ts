import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';

import { MutationInput, MutationPayload } from '../common/mutation.js';
import { ApiToken, TokenScope } from './api-token.type.js';

@InputType()
export class CreateApiTokenInput extends MutationInput {
  @Field(() => String)
  name!: string;

  @Field(() => [TokenScope])
  scopes!: TokenScope[];

  @Field(() => String, { nullable: true })
  user?: string | null;

  @Field(() => Int, { nullable: true })
  expiresInDays?: number | null;
}

@ObjectType({ description: 'secret is shown once and never again' })
export class CreateApiTokenPayload extends MutationPayload {
  @Field(() => ApiToken, { nullable: true })
  token?: ApiToken | null;

  @Field(() => String, { nullable: true })
  secret?: string | null;
}

@InputType()
export class RevokeApiTokenInput extends MutationInput {
  @Field(() => ID)
  id!: string;
}

@ObjectType()
export class RevokeApiTokenPayload extends MutationPayload {
  @Field(() => ApiToken, { nullable: true })
  token?: ApiToken | null;
}

@InputType()
export class EndSessionInput extends MutationInput {
  @Field(() => ID, { nullable: true, description: 'Default: this session' })
  id?: string | null;
}

@ObjectType()
export class EndSessionPayload extends MutationPayload {
  @Field(() => ID, { nullable: true })
  endedId?: string | null;
}
