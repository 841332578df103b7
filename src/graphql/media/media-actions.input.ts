import { ID, ArgsType, Int } from 'type-graphql';

import { mutationArgs } from '../common/mutation.js';
import { MediaFilter } from './media-list.input.js';
import { field, nullable } from '../common/fields.js';

@ArgsType()
export class DeleteMediaArgs extends mutationArgs({
  ids: nullable([ID]),
  filter: nullable(MediaFilter),
  expectedCount: nullable(Int),
  dryRun: field(Boolean, { defaultValue: false }),
}) {}
