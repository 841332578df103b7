import type { Config } from '../../config/schema.js';
import { SigningKeyStore } from '../../core/notary/own-keys/signing-key-store.js';
import type { NamedCheck } from '../../core/operators/overview/health/health-check.js';
import { signingKeyCheck } from '../../core/operators/overview/health/own-checks.js';
import type { ContextParts } from '../parts.js';

/** Those of a server beside whose store the command works. */
export function storedChecks(
  config: Config,
  parts: ContextParts,
  checks: readonly NamedCheck[],
): { storedChecks: readonly NamedCheck[]; signingKeys: SigningKeyStore } {
  const signingKeys = new SigningKeyStore(parts.database);
  const common = checks.filter(({ job, isOfProcess }) => job === undefined && isOfProcess !== true);
  const isPublisher = config.signing_key_path !== null;
  return {
    signingKeys,
    storedChecks: isPublisher ? [...common, signingKeyCheck(signingKeys, parts)] : common,
  };
}
