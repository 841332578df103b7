import { GraphQLSafeInt } from 'graphql-scalars';
import { ID, ArgsType } from 'type-graphql';

import { mutationArgs } from '../common/mutation.js';
import { field, nullable } from '../common/fields.js';

@ArgsType()
export class DiagnoseServerArgs extends mutationArgs({
  serverName: String,
  keyId: nullable(String, { description: 'A key ID the record should list' }),
}) {}

@ArgsType()
export class RefreshServerKeysArgs extends mutationArgs({
  serverName: String,
  keyIds: nullable([String], { description: 'Key IDs that should be known afterwards' }),
  minimumValidUntilMs: nullable(GraphQLSafeInt, {
    description: 'How long the keys should be valid afterwards',
  }),
}) {}

@ArgsType()
export class AcknowledgeKeyAlarmArgs extends mutationArgs({
  serverName: String,
  throughId: field(ID, { description: 'The newest event that was seen; later ones stay alarms' }),
  words: field(String, { description: 'Why it is no danger, for the audit table' }),
}) {}

@ArgsType()
export class DeleteKeyRecordsArgs extends mutationArgs({
  ids: [ID],
}) {}
