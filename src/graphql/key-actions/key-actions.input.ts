import { GraphQLSafeInt } from 'graphql-scalars';
import { ID, InputType } from 'type-graphql';

import { mutationInputFields } from '../common/mutation.js';
import { field, nullable } from '../common/fields.js';

@InputType()
export class DiagnoseServerInput extends mutationInputFields({
  serverName: String,
  keyId: nullable(String, { description: 'A key ID the record should list' }),
}) {}

@InputType()
export class RefreshServerKeysInput extends mutationInputFields({
  serverName: String,
  keyIds: nullable([String], { description: 'Key IDs that should be known afterwards' }),
  minimumValidUntilMs: nullable(GraphQLSafeInt, {
    description: 'How long the keys should be valid afterwards',
  }),
}) {}

@InputType()
export class AcknowledgeKeyAlarmInput extends mutationInputFields({
  serverName: String,
  throughId: field(ID, { description: 'The newest event that was seen; later ones stay alarms' }),
  words: field(String, { description: 'Why it is no danger, for the audit table' }),
}) {}

@InputType()
export class DeleteKeyRecordsInput extends mutationInputFields({
  ids: [ID],
}) {}
