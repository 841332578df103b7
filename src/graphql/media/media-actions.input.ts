import { ID, InputType, Int } from 'type-graphql';

import { mutationInputFields } from '../common/mutation.js';
import { MediaFilter } from './media-list.input.js';
import { field, nullable } from '../common/fields.js';

@InputType()
export class DeleteMediaInput extends mutationInputFields({
  ids: nullable([ID]),
  filter: nullable(MediaFilter),
  expectedCount: nullable(Int),
  dryRun: field(Boolean, { defaultValue: false }),
}) {}
