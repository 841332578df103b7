import type { Buffer } from 'node:buffer';

import type { OpenedCheckpoint } from '../notes/open-checkpoint.js';

/** An answer of a log that is not what its checkpoint commits to. */
export interface ServedBytes {
  path: string;
  bytes: Buffer;
}

/** What contradicts each other. */
export interface Contradiction {
  /** Older first. */
  checkpoints: readonly OpenedCheckpoint[];
  served?: ServedBytes;
}

/** A log has served what contradicts something it has signed: it must not be followed any further. */
export class LogContradiction extends Error {
  constructor(
    message: string,
    readonly contradiction: Contradiction,
  ) {
    super(message);
  }
}
