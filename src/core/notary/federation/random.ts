import { randomInt } from 'node:crypto';

/** A number in [0, 1). Injected where an outcome depends on it, so that tests decide. */
export type Random = () => number;

const STEPS = 2 ** 40;

/** Unpredictable to those outside. */
export const secureRandom: Random = () => randomInt(STEPS) / STEPS;
