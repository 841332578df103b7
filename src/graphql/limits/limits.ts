import { MINUTE_MS, SECOND_MS } from '../../core/base/clock.js';

/** Most rows of one page, and how many by default. */
export const MAX_PAGE = 100;
export const DEFAULT_PAGE = 25;

/** Longer addresses are never fetched. */
export const MAX_URL_LENGTH = 8192;

/** Bounds of what one operation may ask for, and how often. Pages need a fraction of each. */
export const DEFAULT_LIMITS = {
  /** Lexical tokens of a document. */
  tokens: 1000,
  /** Fields of the operation itself, fragments unfolded. */
  rootFields: 10,
  /** `first` × children, plain lists × 10. */
  complexity: 10_000,
  /** Operations of one session or token a second. */
  requestsPerSecond: 20,
  /** Of each of `EXPENSIVE_MUTATIONS`, by one session or token. */
  expensivePerMinute: 10,
  queryTimeoutMs: 10 * SECOND_MS,
  mutationTimeoutMs: 30 * SECOND_MS,
  /** Where a mutation needs longer or shorter. */
  timeoutMs: new Map([['tryPreview', MINUTE_MS]]),
};

export type GraphqlLimits = Readonly<typeof DEFAULT_LIMITS>;

/**
 * Mutations that make requests to other servers on demand, and report their stages as they come. They are counted
 * by the minute, and end when their reader goes.
 */
export const WATCHED_MUTATIONS: readonly string[] = ['tryPreview', 'diagnoseServer'];

/** Mutations that are counted by the minute. */
export const EXPENSIVE_MUTATIONS: readonly string[] = [...WATCHED_MUTATIONS, 'tryBlockRule'];
