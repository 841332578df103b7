/** Exit codes of every command. */
export const EXIT = {
  ok: 0,
  failed: 1,
  /** Wrong use: unknown options, errors in the configuration. */
  use: 2,
  /** The other side (a server, the database) could not be reached. */
  unreachable: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * Ends a command with an exit code and plain sentences for the operator: what is wrong and what to do. The
 * sentences are null when the output says it already.
 */
export class CommandError extends Error {
  constructor(
    readonly sentences: string | null,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(sentences ?? 'failed');
  }
}
