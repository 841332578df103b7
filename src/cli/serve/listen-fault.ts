import { CommandFailure } from '../exit.js';

/** Says in a sentence why a listener could not be opened; other errors pass through. */
export function listenFault(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  const place = `${address ?? 'the address'} port ${port ?? '?'}`;
  const remedy = 'under "listeners" in the configuration';
  switch (code) {
    case 'EADDRINUSE':
      return new CommandFailure(
        `Cannot listen on ${place}: another program does already. Stop it, or choose another port ${remedy}.`,
      );
    case 'EACCES':
      return new CommandFailure(
        `Cannot listen on ${place}: this user may not open it. Choose a port above 1023 ${remedy}, or give the program the right (CAP_NET_BIND_SERVICE).`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new CommandFailure(
        `Cannot listen on ${place}: this machine has no such address. Correct bind_addresses ${remedy}.`,
      );
    default:
      return new CommandFailure(`Cannot listen on ${place} (${code ?? error.message}); see ${remedy}.`);
  }
}
