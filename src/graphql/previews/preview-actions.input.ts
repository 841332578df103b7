import { GraphQLSafeInt } from 'graphql-scalars';
import { ID, ArgsType, Int } from 'type-graphql';

import { mutationArgs } from '../common/mutation.js';
import { PreviewFilter } from './preview-list.input.js';
import { field, nullable } from '../common/fields.js';

@ArgsType()
export class TryPreviewArgs extends mutationArgs({
  url: String,
  of: nullable(ID),
  ts: nullable(GraphQLSafeInt),
  ignoreCaches: field(Boolean, { defaultValue: false }),
  store: field(Boolean, { defaultValue: false }),
  acceptLanguage: nullable([String]),
}) {}

@ArgsType()
export class RefreshPreviewsArgs extends mutationArgs({
  ids: [ID],
}) {}

@ArgsType()
export class DeletePreviewsArgs extends mutationArgs({
  ids: nullable([ID]),
  filter: nullable(PreviewFilter),
  expectedCount: nullable(Int),
  dryRun: field(Boolean, { defaultValue: false }),
  withMedia: field(Boolean, { defaultValue: true }),
}) {}

@ArgsType()
export class ForgetMemoryPreviewsArgs extends mutationArgs({
  ids: nullable([ID]),
  failedOnly: field(Boolean, { defaultValue: false }),
}) {}
