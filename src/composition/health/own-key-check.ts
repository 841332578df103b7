import { typedCommand } from '../../core/base/text/command-line.js';
import type { OwnName } from '../../core/notary/own-keys/own-name.js';
import { SigningKeyStore } from '../../core/notary/own-keys/signing-key-store.js';
import { ownKeyCheck } from '../../core/operators/health/checks/own-keys.js';
import type { Check } from '../../core/operators/health/health-check.js';
import type { ContextParts } from '../parts.js';

/** Our signing keys; `name`: of a server that publishes our record. */
export function createOwnKeyCheck(
  { clock, database, commandLine }: ContextParts,
  name?: Pick<OwnName, 'objection'>,
): Check {
  const rotate = typedCommand(commandLine, 'keys rotate');
  return ownKeyCheck({ signingKeys: new SigningKeyStore(database), clock, rotate, ...(name && { name }) });
}
