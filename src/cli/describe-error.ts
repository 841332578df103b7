import { CommanderError } from 'commander';
import { storeErrorLine, isStoreError } from '../core/store/store-errors.js';
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
  if (isStoreError(error)) {
    const told = error instanceof ApiError ? error.detail : null;
    return { exitCode: EXIT.unreachable, message: told ?? storeErrorLine(error, null) };
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

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
