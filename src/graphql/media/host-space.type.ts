import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';

import { field, nullable, objectFields } from '../common/fields.js';
import { SpaceShare } from '../overview/counts.type.js';

@ObjectType({ description: 'What is stored of a host, with those below it when asked for' })
export class HostSpace extends objectFields({
  items: field(Int, { description: 'Files that are there' }),
  bytes: field(GraphQLSafeInt, { description: 'On disk: files and their thumbnails' }),
  thumbnailBytes: field(GraphQLSafeInt, { description: 'The part of thumbnails' }),
  exact: field(Boolean, {
    description: 'False when there are more than the latest 5,000, which were added up',
  }),
  hosts: field([SpaceShare], { description: 'By host, the largest first, at most 25' }),
  owners: nullable([SpaceShare], {
    description: 'By user who asked, the largest first, at most 25; null for those who may not see owners',
  }),
}) {}
