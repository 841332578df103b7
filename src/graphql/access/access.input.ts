import { ID, InputType, Int, ObjectType } from 'type-graphql';

import { mutationInputFields, payloadFields } from '../common/mutation.js';
import { ApiToken, TokenScope } from './api-token.type.js';
import { nullable } from '../common/fields.js';

@InputType()
export class CreateApiTokenInput extends mutationInputFields({
  name: String,
  scopes: [TokenScope],
  user: nullable(String),
  expiresInDays: nullable(Int),
}) {}

@ObjectType({ description: 'secret is shown once and never again' })
export class CreateApiTokenPayload extends payloadFields({
  token: nullable(ApiToken),
  secret: nullable(String),
}) {}

@InputType()
export class RevokeApiTokenInput extends mutationInputFields({
  id: ID,
}) {}

@ObjectType()
export class RevokeApiTokenPayload extends payloadFields({
  token: nullable(ApiToken),
}) {}

@InputType()
export class EndSessionInput extends mutationInputFields({
  id: nullable(ID, { description: 'Default: this session' }),
}) {}

@ObjectType()
export class EndSessionPayload extends payloadFields({
  endedId: nullable(ID),
}) {}
