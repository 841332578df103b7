import { parseArgs } from 'node:util';

import { oneOf, numberOf } from '../options.js';
import type { SoakOptions } from './soak.js';
import type { Engine } from './world.js';

const ENGINES: readonly Engine[] = ['sqlite', 'postgresql'];
const SECOND_MS = 1000;

/** Reads the arguments of `npm run soak`. Throws a sentence for what it does not have. */
export function readSoakOptions(
  args: readonly string[],
): Omit<SoakOptions, 'engine' | 'folder'> & { engines: readonly Engine[] } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '15' },
      kills: { type: 'string', default: '50' },
      engine: { type: 'string' },
      series: { type: 'string' },
      'fault-seconds': { type: 'string', default: '5' },
      'recovery-seconds': { type: 'string', default: '20' },
      'calm-seconds': { type: 'string', default: '10' },
    },
  });
  const { engine, series } = values;
  const number = (option: Exclude<keyof typeof values, 'engine' | 'series'>): number =>
    numberOf(option, values[option]);
  return {
    engines: engine === undefined ? ENGINES : [oneOf('engine', ENGINES, engine)],
    minutes: number('minutes'),
    kills: number('kills'),
    pace: {
      awayMs: number('fault-seconds') * SECOND_MS,
      recoveryMs: number('recovery-seconds') * SECOND_MS,
      calmMs: number('calm-seconds') * SECOND_MS,
    },
    series,
  };
}
