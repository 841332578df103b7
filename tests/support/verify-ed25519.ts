import { Ed25519Verifier } from '../../src/core/notary/signing/signer.js';

/** Verifies one signature; false also for a key that is not acceptable. */
export function verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return Ed25519Verifier.create(publicKey)?.verify(message, signature) ?? false;
}
