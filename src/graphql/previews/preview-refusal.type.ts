import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';

import { field, objectFields } from '../common/fields.js';

@ObjectType({
  description:
    'Requests for previews that were refused for the same reason before anybody looked what they ask for, counted by this instance',
})
export class PreviewRefusal extends objectFields({
  status: field(Int, {
    description: '401, 403: who asks may not; 503: nobody can tell, or the store is away',
  }),
  errcode: String,
  message: field(String, { description: 'What clients were told' }),
  times: GraphQLSafeInt,
  firstAt: Date,
  lastAt: Date,
  requestId: field(String, { description: 'Of the latest, as in the log' }),
}) {}
