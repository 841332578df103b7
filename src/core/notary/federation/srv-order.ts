import { randomInt } from 'node:crypto';

import type { SrvRecord } from '../../net/dns/name-lookups.js';

/** A number in [0, 1). Injected where an outcome depends on it, so that tests decide. */
export type Random = () => number;

const STEPS = 2 ** 40;

/** Unpredictable to those outside. */
export const secureRandom: Random = () => randomInt(STEPS) / STEPS;

/** Enough for any honest domain; a hostile answer may hold thousands. */
const MAX_TARGETS = 16;

/**
 * Order in which SRV targets are tried (RFC 2782): by priority, within one priority drawn by weight, records of
 * weight 0 last. At most 16.
 */
export function orderSrvRecords(records: readonly SrvRecord[], random: Random): SrvRecord[] {
  const priorities = [...new Set(records.map(({ priority }) => priority))].sort((a, b) => a - b);
  return priorities
    .flatMap((priority) =>
      drawByWeight(
        records.filter((record) => record.priority === priority),
        random,
      ),
    )
    .slice(0, MAX_TARGETS);
}

function drawByWeight(records: readonly SrvRecord[], random: Random): SrvRecord[] {
  const rest = records.filter(({ weight }) => weight > 0);
  const ordered: SrvRecord[] = [];
  while (rest.length > 0 && ordered.length < MAX_TARGETS) {
    let mark = random() * rest.reduce((sum, { weight }) => sum + weight, 0);
    const index = rest.findIndex(({ weight }) => (mark -= weight) < 0);
    ordered.push(...rest.splice(Math.max(index, 0), 1));
  }
  return [
    ...ordered,
    ...shuffle(
      records.filter(({ weight }) => weight === 0),
      random,
    ),
  ];
}

function shuffle(records: SrvRecord[], random: Random): SrvRecord[] {
  const shuffled: SrvRecord[] = [];
  while (records.length > 0) shuffled.push(...records.splice(Math.floor(random() * records.length), 1));
  return shuffled;
}
