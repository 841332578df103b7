/**
 * How long a test waits for what comes at once on a usual machine: no measure, but the end of what never comes. Below
 * the limit of a test, so that it is the waiting that fails and says for what. Where something else would end it later,
 * or the clock is moved meanwhile, a test states a limit of its own.
 */
export const PATIENCE_MS = 20_000;
