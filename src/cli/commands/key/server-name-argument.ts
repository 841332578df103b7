import { InvalidArgumentError } from 'commander';

import { serverNameError } from '../../../core/notary/federation/server-name-error.js';

/** An argument that names a server. Throws what the program shows as wrong use. */
export function readServerName(text: string): string {
  const error = serverNameError(text);
  if (error === null) return text;
  throw new InvalidArgumentError(error);
}
