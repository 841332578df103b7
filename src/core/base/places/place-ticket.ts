import type { Asker } from './asker.js';

/** All of one rank have their turn before those of the next. */
export type Rank = 0 | 1 | 2;

/** Who wants a place, and for what. */
export interface PlaceRequest {
  asker: Asker;
  /** One part of its path for each further level. */
  about: readonly string[];
  /** All of one rank have their turn before those of the next; 0 when absent. */
  rank?: Rank;
}

/** What each part of a path is: first an asker, then a question of theirs, then what that is about. */
export type Level<About extends string> = 'asker' | 'question' | About;

/** One request on its way to a place. */
export interface PlaceTicket<About extends string = string> {
  readonly request: PlaceRequest;
  /** Resolves with whether there is a place; `false` when it was given up. Never rejects. */
  readonly admitted: Promise<boolean>;
  /** Whether it has its place now. */
  readonly hasPlace: () => boolean;
  /** Whether several wait for it. */
  readonly isShared: () => boolean;
  /** `total`: all places are held; else the level that has reached its bound; `null`: no bound holds it back. */
  readonly waitsFor: () => Level<About> | 'total' | null;
  /** A further asker waits for it, with those who join him: it gets its place by whoever's turn comes first. */
  readonly join: (asker: Asker) => void;
  /** Gives up waiting; what has its place keeps it. */
  readonly giveUp: () => void;
  /** Gives its place back, or gives up waiting. */
  readonly leave: () => void;
}

/** For what finds no room to wait. */
export const REFUSED: PlaceTicket<never> = {
  request: { asker: { key: '', question: '' }, about: [] },
  admitted: Promise.resolve(false),
  hasPlace: () => false,
  isShared: () => false,
  waitsFor: () => null,
  join: noop,
  giveUp: noop,
  leave: noop,
};

/** Which of these, in order of arrival, gives way to somebody new: what others wait for, too, only when nothing else is left. */
export function newestOf<About extends string>(
  tickets: readonly PlaceTicket<About>[],
): PlaceTicket<About> | undefined {
  return tickets.findLast((ticket) => !ticket.isShared()) ?? tickets.at(-1);
}

function noop(): void {}
