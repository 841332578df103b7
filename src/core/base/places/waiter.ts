import type { PlaceRequest, Rank } from './place-ticket.js';

/** A request for a place, whatever has become of it. */
export interface Waiter extends PlaceRequest {
  rank: Rank;
  state: 'waiting' | 'running' | 'over';
  /** By the key of each asker. */
  readonly paths: Map<string, string[]>;
  /** In how many ways each of them has come. */
  readonly joined: Map<string, number>;
  /** End being told of askers who join those who wait. */
  readonly unlink: (() => void)[];
  /** The path whose turn it was. */
  holder: readonly string[];
  settle: (isAdmitted: boolean) => void;
}

/** One that waits, and whom nobody has joined yet. */
export function newWaiter(request: PlaceRequest): Waiter {
  return {
    state: 'waiting',
    paths: new Map(),
    joined: new Map(),
    unlink: [],
    holder: [],
    settle: noop,
    rank: 0,
    ...request,
  };
}

function noop(): void {}
