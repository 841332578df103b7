import { ObjectType } from 'type-graphql';

import { Role, SignInMethod } from '../common/enums.js';
import { objectFields } from '../common/fields.js';

@ObjectType()
export class Viewer extends objectFields({
  name: String,
  role: Role,
  method: SignInMethod,
}) {
  /** The session of the request, which the field `session` is found by; `null` for an API token. */
  sessionId!: string | null;
}
