/** Exit codes of every command. */
export const EXIT = {
  ok: 0,
  failed: 1,
  /** Wrong use: unknown options, faults in the configuration. */
  use: 2,
  /** The other side (a server, the database) could not be reached. */
  unreachable: 3,
} as const;

/** Ends a command with a message for the operator and an exit code. */
export class CommandFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: (typeof EXIT)[keyof typeof EXIT] = EXIT.failed,
  ) {
    super(message);
  }
}
