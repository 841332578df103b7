import { ObjectType } from 'type-graphql';

import { Role, SignInMethod } from '../common/enums.js';
import { field, objectFields } from '../common/fields.js';

@ObjectType({ description: 'How commands are typed for this service: program, command, options' })
export class CommandLine extends objectFields({
  program: field(String, { description: 'What starts the program, as a shell reads it' }),
  options: field(String, {
    description: 'What follows the command, such as --config and its file; may be empty',
  }),
}) {}

@ObjectType()
export class Viewer extends objectFields({
  name: String,
  role: Role,
  method: SignInMethod,
}) {
  /** The session of the request, which the field `session` is found by; `null` for an API token. */
  sessionId!: string | null;
}
