import { HOUR_MS, SECOND_MS, type Clock } from '../../base/clock.js';
import { PeerDates, type PeerTime } from '../../notary/federation/peer-dates.js';
import { fine, unproved, warning, type Finding } from '../overview/health/health-check.js';
import type { Probe } from './probe.js';

export interface ClockProbeOptions {
  clock: Clock;
  /** So many servers, or fewer, each of another domain: one that has many names is not to decide. */
  known: (count: number) => Promise<readonly string[]>;
  /** Asks servers for their keys, and notes the times that those state which answer. */
  ask: (serverNames: readonly string[], dates: PeerDates, signal: AbortSignal) => Promise<unknown>;
}

const MAX_ASKED = 5;
/** `Date` counts whole seconds, and answers take their time. */
const MAX_DIFFERENCE_MS = 10 * SECOND_MS;

/** Our clock beside those of servers whose keys are known. */
export function clockProbe(options: ClockProbeOptions): Probe {
  return {
    line: { key: 'peer_clocks', title: 'Clock of others', how: 'read Date of answers to key fetches' },
    job: {
      name: 'prove_clock',
      title: 'Ask others for the time',
      description:
        `Asks up to ${MAX_ASKED} servers for their keys, those known longest of each domain, compares the time that their ` +
        'answers state with ours, and keeps the outcome for the health list. Stores no keys.',
    },
    subject: 'known servers',
    intervalMs: HOUR_MS,
    prove: (signal) => proveClock(options, signal),
  };
}

async function proveClock({ clock, known, ask }: ClockProbeOptions, signal: AbortSignal): Promise<Finding> {
  const dates = new PeerDates(clock);
  const names = await known(MAX_ASKED);
  await ask(names, dates, signal);
  const { median } = dates;
  return median === null ? tooFew(names.length) : judge(median);
}

function tooFew(asked: number): Finding {
  const found = unproved(`Fewer than three servers told the time; ${asked} could be asked.`, '/keys');
  return { ...found, advice: 'Three servers whose keys are stored here and that answer prove it.' };
}

function judge({ servers, differenceMs }: PeerTime): Finding {
  const seconds = Math.round(Math.abs(differenceMs) / SECOND_MS);
  if (Math.abs(differenceMs) <= MAX_DIFFERENCE_MS)
    return fine(`This machine and ${servers} other servers agree on the time.`);
  return warning(
    `This machine is ${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} most of ${servers} other servers.`,
    'Run a time service such as chrony; keys expire by this clock.',
  );
}
