import { SECOND_MS } from '../../base/clock.js';

/** What work came to, for those on other instances who want the same. */
export interface WorkOutcome {
  text: string;
  /** How long whoever wants to begin it gets the text instead. */
  lifetimeMs: number;
}

/**
 * Whether to work, or what the work of another instance came to. Whoever works calls `end` in any case; `null` says
 * nothing to others, and the next one works.
 */
export type WorkTurn = OwnTurn | { told: string; remainingMs: number };

/** The work is ours. */
export interface OwnTurn {
  told: null;
  /** Whoever had it may have ended its work, and have died before it said so. */
  isTakenOver: boolean;
  end: (outcome: WorkOutcome | null) => void;
}

/** Work that one instance does for all. */
export interface WorkLeases {
  /** Whether there may be other instances, which write what is remembered here. */
  readonly isShared: boolean;
  /**
   * Waits while another instance is at it. Takes over from one that has died. Rejects with the reason of the signal,
   * or when the store is away.
   */
  begin(key: string, signal?: AbortSignal): Promise<WorkTurn>;
  /** Lets nobody be told any more what finished work came to. */
  forget(keys: readonly string[] | { prefix: string }): Promise<void>;
}

/** For an instance that is alone on its database. */
export const NO_LEASES: WorkLeases = {
  isShared: false,
  begin: async () => ALONE,
  forget: async () => undefined,
};

/** Nobody else waits. */
export const ALONE: OwnTurn = { told: null, isTakenOver: false, end: () => undefined };

/** Long enough for whoever asked the store before the work ended and begins it after; short for all others. */
export const JUST_DONE_MS = 2 * SECOND_MS;
