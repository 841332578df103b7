import { MINUTE_MS, type Clock } from '../../base/clock.js';
import type { HealthLine } from '../health/health.js';

/** A flapping check is sent at most once in this time. */
const QUIET_MS = 10 * MINUTE_MS;

/** A check as it was last sent. */
interface Sent {
  isFailed: boolean;
  ts: number;
}

/** Which health checks the webhook is to be sent: those that began to fail, and those that recovered since. */
export class HealthAlarms {
  readonly #sent = new Map<string, Sent>();

  constructor(private readonly clock: Clock) {}

  /** A check that is unproved keeps what was last sent of it. */
  changed(checks: readonly HealthLine[]): HealthLine[] {
    const nowTs = this.clock.now();
    return checks.filter(({ id, state }) => {
      const sent = this.#sent.get(id) ?? { isFailed: false, ts: -Infinity };
      const isFailed = state === 'failed';
      if (state === 'not_yet_proved' || isFailed === sent.isFailed || nowTs - sent.ts < QUIET_MS)
        return false;
      this.#sent.set(id, { isFailed, ts: nowTs });
      return true;
    });
  }
}
