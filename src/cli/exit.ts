/** Exit codes of every command. */
export const EXIT = {
  ok: 0,
  failed: 1,
  /** Wrong use: unknown options, faults in the configuration. */
  use: 2,
  /** The other side (a server, the database) could not be reached. */
  unreachable: 3,
} as const;

/** One of `EXIT`. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with plain sentences for the operator (what is wrong, what to do) and an exit code. */
export class CommandFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(message);
  }
}
