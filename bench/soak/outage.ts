/** What is away: where requests lead to, what the server keeps its data in, room there, or the server itself. */
export type Outage = 'origins' | 'store' | 'disk' | 'server';

/** How long a fault lasts, how long its traces are forgiven, and how long nothing is forgiven before the next. */
export interface Pace {
  awayMs: number;
  recoveryMs: number;
  calmMs: number;
}

/** A question that was not answered; no status: the connection was refused, or broke. */
export interface Failure {
  status: number | null;
  hasRetryAfter: boolean;
  /** Of `Error-Reason`; empty without one. */
  reason: string;
  /** Whether its answer is to be fetched and stored. */
  isNew: boolean;
}

/** Whether a failure is what a client is told to expect while that is away. */
export function excuses(outage: Outage | null, { status, hasRetryAfter, reason, isNew }: Failure): boolean {
  if (outage === null) return false;
  // SPEC §7.1: an origin that does not answer.
  if (outage === 'origins') return isNew && (status === 502 || status === 504);
  // SPEC §7.2.
  if (outage === 'disk' && isNew && status === 500) return reason === 'disk_full';
  if (status === null) return outage === 'server';
  return hasRetryAfter && (status === 502 || status === 503);
}
