import { Field, ObjectType } from 'type-graphql';

import { Role, SignInMethod } from '../common/enums.js';

@ObjectType()
export class Viewer {
  /** The session of the request, which the field `session` is found by; `null` for an API token. */
  sessionId!: string | null;

  @Field(() => String)
  name!: string;

  @Field(() => Role)
  role!: Role;

  @Field(() => SignInMethod)
  method!: SignInMethod;
}
