import { createProgram } from './program.js';
import { describeError, note } from './terminal.js';

/** Else the client of object storage writes six lines about Node 20, which its version here supports. */
const NO_NODE_WARNING = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';

/**
 * Runs one command line, without the names of Node and script. Resolves when it is done, failures included:
 * they are said on standard error and set `process.exitCode` (see `EXIT`).
 */
export async function main(argv: string[]): Promise<void> {
  process.stdout.on('error', endQuietlyWithoutReader);
  process.env[NO_NODE_WARNING] ??= 'true';
  try {
    await createProgram().parseAsync(argv, { from: 'user' });
  } catch (error) {
    const { exitCode, message } = describeError(error);
    if (message !== null) note(`vidimus: ${message}`);
    if (process.env['VIDIMUS_DEBUG'] === '1' && error instanceof Error && message !== null) {
      note(error.stack ?? '');
    }
    process.exitCode = exitCode;
  }
}

/** `vidimus … | head` closes the pipe early. */
function endQuietlyWithoutReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}
