import { Field, ObjectType } from 'type-graphql';

import type { OwnSigningKey } from '../../core/operators/keys/own-signing-keys.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node } from '../nodes/node.type.js';
import { toDate } from '../common/dates.js';

@ObjectType()
export class PeerSnippet {
  @Field(() => String)
  software!: string;

  @Field(() => String)
  language!: string;

  @Field(() => String)
  text!: string;
}

@ObjectType({ implements: Node, description: 'A key this service signs with' })
export class SigningKey extends Node {
  @Field(() => String)
  keyId!: string;

  @Field(() => String)
  publicKey!: string;

  @Field(() => Boolean)
  active!: boolean;

  @Field(() => String, { description: 'SHA-256 of the public key, for reading out loud' })
  fingerprint!: string;

  @Field(() => Date)
  firstSeenAt!: Date;

  @Field(() => Date, { nullable: true })
  retiredAt!: Date | null;

  @Field(() => [PeerSnippet], { description: "Ready-made lines for the peers' configuration files" })
  peerSnippets!: readonly PeerSnippet[];
}

/** One of our keys as the outside sees it. */
export function toSigningKey(key: OwnSigningKey): SigningKey {
  const { keyId, publicKey, fingerprint } = key;
  return {
    id: toNodeId('SigningKey', keyId),
    keyId,
    publicKey,
    active: key.isActive,
    fingerprint,
    firstSeenAt: toDate(key.firstSeenTs),
    retiredAt: toDate(key.retiredTs),
    peerSnippets: key.peerSnippets,
  };
}
