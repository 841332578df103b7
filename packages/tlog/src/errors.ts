/** A log or witness did not give a usable answer. Nothing is proved by that. */
export class UnavailableError extends Error {
  constructor(
    message: string,
    readonly reason: 'network' | 'status' | 'too_large' | 'unsigned',
  ) {
    super(message);
  }
}
