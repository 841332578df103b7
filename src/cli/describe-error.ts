import { CommanderError } from 'commander';
import { isStoreFull, isStoreUnavailable } from '../core/store/store-errors.js';
import { ApiError } from '../core/base/errors/api-error.js';
import { CommandError, EXIT, type ExitCode } from './exit.js';

/** How a command ended badly; `message` null when it has been said already. */
export interface CommandOutcome {
  exitCode: ExitCode;
  message: string | null;
}

/** Sorts whatever a command threw into an exit code and a sentence. Stack traces stay inside. */
export function describeError(error: unknown): CommandOutcome {
  if (error instanceof CommandError) return { exitCode: error.exitCode, message: error.sentences };
  if (error instanceof CommanderError) return { exitCode: commanderExitCode(error), message: null };
  if (isStoreFull(error)) {
    return { exitCode: EXIT.failed, message: 'The disk of the database is full. Make room and try again.' };
  }
  if (isStoreUnavailable(error)) {
    if (error instanceof ApiError && error.detail !== null)
      return { exitCode: EXIT.unreachable, message: error.detail };
    const message = `The database cannot be reached${becauseOf(error)}. Check that it runs and the section "database" of the configuration.`;
    return { exitCode: EXIT.unreachable, message };
  }
  if (error instanceof ApiError) {
    const detail = error.detail === null ? '' : ` (${error.detail})`;
    return { exitCode: EXIT.failed, message: sentence(error.message + detail) };
  }
  return { exitCode: EXIT.failed, message: sentence(error instanceof Error ? error.message : String(error)) };
}

/** Commander ends `--help` and `--version` with 0 and everything else because of wrong use. */
function commanderExitCode(error: CommanderError): ExitCode {
  return error.exitCode === 0 ? EXIT.ok : EXIT.use;
}

/** The innermost reason, such as `connect ECONNREFUSED 127.0.0.1:5432`. */
function becauseOf(error: unknown): string {
  let deepest: unknown = error;
  while (deepest instanceof Error && deepest.cause !== undefined) deepest = deepest.cause;
  if (deepest instanceof AggregateError) deepest = deepest.errors[0];
  const text = messageOf(deepest);
  return deepest === error && error instanceof ApiError ? '' : text === '' ? '' : `: ${text}`;
}

function messageOf(value: unknown): string {
  if (value instanceof Error) return value.message.trim().split('\n').at(-1) ?? '';
  if (typeof value !== 'object' || value === null) return '';
  if ('originalMessage' in value) return String(value.originalMessage);
  return 'kind' in value ? String(value.kind) : '';
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
