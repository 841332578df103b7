import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';

import type { RefusalGroup } from '../../core/access/users/refused-requests.js';
import { field, objectFields } from '../common/fields.js';

@ObjectType({
  description:
    'Requests for previews that this instance refused for the same reason before looking what they ask for, since its start',
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

export function toPreviewRefusal({ firstTs, lastTs, ...group }: RefusalGroup): PreviewRefusal {
  return { ...group, firstAt: new Date(firstTs), lastAt: new Date(lastTs) };
}
