import { ObjectType } from 'type-graphql';

import type { OwnSigningKey } from '../../core/operators/own-keys/own-signing-keys.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';
import { withDates } from '../common/dates.js';
import { field, nullable, objectFields } from '../common/fields.js';

@ObjectType()
export class PeerSnippet extends objectFields({
  software: String,
  language: String,
  text: String,
}) {}

@ObjectType({ implements: Node, description: 'A key this service signs with' })
export class SigningKey extends nodeFields({
  keyId: String,
  publicKey: String,
  active: Boolean,
  fingerprint: field(String, { description: 'SHA-256 of the public key, for reading out loud' }),
  firstSeenAt: Date,
  retiredAt: nullable(Date),
  peerSnippets: field([PeerSnippet], { description: "Ready-made lines for the peers' configuration files" }),
}) {}

/** One of our keys as the outside sees it. */
export function toSigningKey(key: OwnSigningKey): SigningKey {
  return { ...withDates(key), id: toNodeId('SigningKey', key.keyId), active: key.isActive };
}
