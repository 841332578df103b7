import { GraphQLSafeInt } from 'graphql-scalars';
import { ID, InputType, Int } from 'type-graphql';

import { mutationInputFields } from '../common/mutation.js';
import { PreviewFilter } from './preview-list.input.js';
import { field, nullable } from '../common/fields.js';

@InputType()
export class TryPreviewInput extends mutationInputFields({
  url: String,
  of: nullable(ID),
  ts: nullable(GraphQLSafeInt),
  ignoreCaches: field(Boolean, { defaultValue: false }),
  store: field(Boolean, { defaultValue: false }),
  acceptLanguage: nullable([String]),
}) {}

@InputType()
export class RefreshPreviewsInput extends mutationInputFields({
  ids: [ID],
}) {}

@InputType({
  description:
    'Give ids or filter, never both. With filter, expectedCount must equal what dryRun reported, or COUNT_MISMATCH',
})
export class DeletePreviewsInput extends mutationInputFields({
  ids: nullable([ID]),
  filter: nullable(PreviewFilter),
  expectedCount: nullable(Int),
  dryRun: field(Boolean, { defaultValue: false }),
  withMedia: field(Boolean, { defaultValue: true }),
}) {}

@InputType()
export class ForgetMemoryPreviewsInput extends mutationInputFields({
  ids: nullable([ID]),
  failedOnly: field(Boolean, { defaultValue: false }),
}) {}
