import { ID, ArgsType, Int, ObjectType } from 'type-graphql';

import { mutationArgs, payloadFields } from '../common/mutation.js';
import { ApiToken, TokenScope } from './api-token.type.js';
import { nullable } from '../common/fields.js';

@ArgsType()
export class CreateApiTokenArgs extends mutationArgs({
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

@ArgsType()
export class RevokeApiTokenArgs extends mutationArgs({
  id: ID,
}) {}

@ObjectType()
export class RevokeApiTokenPayload extends payloadFields({
  token: nullable(ApiToken),
}) {}

@ArgsType()
export class EndSessionArgs extends mutationArgs({
  id: nullable(ID, { description: 'Default: this session' }),
}) {}

@ObjectType()
export class EndSessionPayload extends payloadFields({
  endedId: nullable(ID),
}) {}
