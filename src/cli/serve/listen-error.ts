import { errorCode } from '../../core/base/errors/error-code.js';
import { CommandError } from '../errors.js';

/** Says in a sentence why a listener could not be opened; other errors pass through. */
export function listenError(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const code = errorCode(error);
  const address = 'address' in error ? String(error.address) : 'the address';
  const endpoint = `${address} port ${'port' in error ? String(error.port) : '?'}`;
  const remedy = 'under "listeners" in the configuration';
  const known = WORDS.get(code);
  if (known === undefined) {
    return new CommandError(`Cannot listen on ${endpoint} (${code || error.message}); see ${remedy}.`);
  }
  return new CommandError(`Cannot listen on ${endpoint}: ${known} ${remedy}.`);
}

const NO_SUCH_ADDRESS = 'this machine has no such address. Correct bind_addresses';

const WORDS: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'another program does already. Stop it, or choose another port'],
  ['EACCES', 'this user may not. Give the program the right to, or choose a port above 1023'],
  ['EADDRNOTAVAIL', NO_SUCH_ADDRESS],
  ['ENOTFOUND', NO_SUCH_ADDRESS],
  ['EAI_AGAIN', NO_SUCH_ADDRESS],
]);
