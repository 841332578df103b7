import { Field, ObjectType } from 'type-graphql';

import { Role, SignInMethod } from '../common/enums.js';

@ObjectType({ description: 'How commands are typed for this service: program, command, options' })
export class CommandLine {
  @Field(() => String, { description: 'What starts the program, as a shell reads it' })
  program!: string;

  @Field(() => String, {
    description: 'What follows the command, such as --config and its file; may be empty',
  })
  options!: string;
}

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
