import { MINUTE_MS, type Clock } from '../../base/clock.js';
import type { JobDefinition } from '../../job-runner/job-definition.js';
import { unproved, type Finding, type NamedCheck } from '../overview/health/health-check.js';
import type { ProbeStore } from './probe-store.js';

/** Something that is tried again and again, so that its line of the health list says what was seen to work. */
export interface Probe {
  line: Pick<NamedCheck, 'key' | 'title' | 'how'>;
  /** The job that tries it. */
  job: Pick<JobDefinition, 'name' | 'title' | 'description'>;
  /** What is tried, such as an address; what was found about another one says nothing. */
  subject: string;
  /** How often it is tried; absent: `PROBE_INTERVAL_MS`. */
  intervalMs?: number;
  /** Tries it. What others do wrong is a finding, not a rejection. */
  prove(signal: AbortSignal): Promise<Finding>;
}

/** How often each is tried. */
export const PROBE_INTERVAL_MS = 5 * MINUTE_MS;
/** What was found so many intervals ago is no proof any more. */
const PROOF_INTERVALS = 3;

/** The line of the health list: what was last found, by whichever instance. */
export function probeCheck(probe: Probe, { store, clock }: { store: ProbeStore; clock: Clock }): NamedCheck {
  const { line, job, subject, intervalMs = PROBE_INTERVAL_MS } = probe;
  const look = async (): Promise<Finding> => {
    const found = await store.find(line.key, subject);
    if (found === null) return unproved('Not tried yet.', '/jobs');
    const ageMs = clock.now() - found.provedTs;
    if (ageMs >= 0 && ageMs <= PROOF_INTERVALS * intervalMs) return found;
    return { ...unproved(`Not tried lately. Then: ${found.message}`, '/jobs'), provedTs: found.provedTs };
  };
  return { ...line, job: job.name, look };
}
