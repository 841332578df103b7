import { InputType } from 'type-graphql';

import { field, inputFields, nullable } from '../common/fields.js';
import { mutationInputFields } from '../common/mutation.js';
import { DeliveryChannel, DeliveryState, PinMode } from './oversight.type.js';

@InputType()
export class NamedKeyInput extends inputFields({
  keyId: field(String, { description: 'Such as ed25519:a_1' }),
  publicKey: field(String, { description: 'Base64 of 32 bytes' }),
}) {}

@InputType()
export class DeliveryFilter extends inputFields({
  channel: nullable(DeliveryChannel),
  state: nullable(DeliveryState),
  destination: nullable(String, { description: 'Name of a webhook or notary' }),
  subject: nullable(String, { description: 'Server name' }),
}) {}

@InputType()
export class SetWatchInput extends mutationInputFields({
  serverName: field(String, { description: '* for all servers' }),
  webhook: field(String, { description: 'Name of a webhook of the configuration' }),
}) {}

@InputType()
export class SetPinInput extends mutationInputFields({
  serverName: String,
  keys: field([NamedKeyInput], { description: 'All that the server may list, old keys included' }),
  mode: field(PinMode, { defaultValue: 'refuse' }),
}) {}

@InputType()
export class SetNotaryInput extends mutationInputFields({
  serverName: field(String, { description: 'Whose signature its answers carry' }),
  url: field(String, { description: 'Where its key query is, such as https://notary.example/' }),
  keys: field([NamedKeyInput], { description: 'What it signs with' }),
}) {}

@InputType()
export class RemoveOversightInput extends mutationInputFields({
  serverName: String,
}) {}

@InputType()
export class TestWebhookInput extends mutationInputFields({
  name: String,
}) {}
