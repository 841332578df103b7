import { MINUTE_MS, SECOND_MS } from '../../core/base/clock.js';

/** Most rows of one page, and how many by default. */
export const MAX_PAGE = 100;
export const DEFAULT_PAGE = 25;

/** Longer addresses are never fetched. */
export const MAX_URL_LENGTH = 8192;

/** Bounds of what one operation may ask for, and how often. Pages need a fraction of each. */
export interface GraphqlLimits {
  /** Lexical tokens of a document. */
  tokens: number;
  /** Fields inside fields; introspection has its own bound in graphql. */
  depth: number;
  aliases: number;
  /** Fields of the operation itself, fragments unfolded. */
  rootFields: number;
  /** `first` × children, plain lists × 10. */
  complexity: number;
  /** Operations of one session or token a second. */
  requestsPerSecond: number;
  /** Of each of `EXPENSIVE_MUTATIONS`, by one session or token. */
  expensivePerMinute: number;
  /** Runs of `tryPreview` at the same time, by anybody. */
  tries: number;
  queryTimeoutMs: number;
  mutationTimeoutMs: number;
  /** Where a mutation needs longer or shorter. */
  timeoutMs: ReadonlyMap<string, number>;
}

export const DEFAULT_LIMITS: GraphqlLimits = {
  tokens: 1000,
  depth: 8,
  aliases: 15,
  rootFields: 10,
  complexity: 10_000,
  requestsPerSecond: 20,
  expensivePerMinute: 10,
  tries: 4,
  queryTimeoutMs: 10 * SECOND_MS,
  mutationTimeoutMs: 30 * SECOND_MS,
  timeoutMs: new Map([['tryPreview', MINUTE_MS]]),
};

/** Makes requests to other servers for whoever asks. */
export const TRY_PREVIEW = 'tryPreview';

/** Mutations that are counted by the minute. */
export const EXPENSIVE_MUTATIONS: readonly string[] = [TRY_PREVIEW, 'diagnoseServer'];
