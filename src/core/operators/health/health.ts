import { type Clock, MINUTE_MS } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';

/** `not_yet_proved`: nothing happened yet that would show whether it works. */
export type HealthState = 'ok' | 'warning' | 'failed' | 'not_yet_proved';

/** What a check found. */
export interface Finding {
  state: HealthState;
  /** One sentence. */
  message: string;
  /** What to do; `null`: nothing. */
  advice: string | null;
  /** Path inside the web UI, below its base path; absent: that of the check. */
  href?: string;
  /** When it was seen to work, POSIX ms; absent: now, or never while it is unproved. */
  provedTs?: number | null;
}

/** One check of the health list. */
export interface Check {
  /** Stable name, such as `dns`. */
  id: string;
  title: string;
  /** How it is proved, in a few words. */
  how: string;
  /** Path inside the web UI that shows more; absent: none does. */
  href?: string;
  /** It goes out or writes: a server runs it every five minutes and keeps the finding. */
  isProbe?: true;
  /** A rejection is a failed check. */
  check(): Promise<Finding>;
}

/** A line of the health list. */
export interface HealthLine extends Omit<Finding, 'href'> {
  id: string;
  title: string;
  how: string;
  href: string | null;
  provedTs: number | null;
}

export function ok(message: string): Finding {
  return { state: 'ok', message, advice: null };
}

export function warning(message: string, advice: string): Finding {
  return { state: 'warning', message, advice };
}

export function failed(message: string, advice: string): Finding {
  return { state: 'failed', message, advice };
}

export function unproved(message: string, advice: string | null = null): Finding {
  return { state: 'not_yet_proved', message, advice };
}

const RANK = { failed: 0, warning: 1, not_yet_proved: 2, ok: 3 } as const;

/** The order of every list. */
function worstFirst(lines: readonly HealthLine[]): HealthLine[] {
  return lines.toSorted((a, b) => RANK[a.state] - RANK[b.state]);
}

/** How often a server runs its probes. */
export const PROBE_INTERVAL_MS = 5 * MINUTE_MS;
/** An older finding of a probe proves nothing. */
const PROOF_MS = 3 * PROBE_INTERVAL_MS;

export interface HealthOptions {
  checks: () => readonly Check[];
  clock: Clock;
  logger: Logger;
}

/** The health list: probes as they were last run, all other checks as they are now. */
export class Health {
  readonly #probed = new Map<string, HealthLine>();
  #probing: Promise<void> | null = null;

  constructor(private readonly options: HealthOptions) {}

  /** Every check, worst first. */
  async look(): Promise<HealthLine[]> {
    const lines = this.options
      .checks()
      .map((check) => (check.isProbe ? Promise.resolve(this.#kept(check)) : this.#run(check)));
    return worstFirst(await Promise.all(lines));
  }

  /** Runs the probes, once at a time. */
  probe(): Promise<void> {
    this.#probing ??= this.#probeAll().finally(() => {
      this.#probing = null;
    });
    return this.#probing;
  }

  async #probeAll(): Promise<void> {
    const probes = this.options.checks().filter(({ isProbe }) => isProbe);
    for (const line of await Promise.all(probes.map((check) => this.#run(check))))
      this.#probed.set(line.id, line);
  }

  #kept(check: Check): HealthLine {
    const line = this.#probed.get(check.id);
    if (line === undefined) return { ...lineOf(check, unproved('Not checked yet.')), provedTs: null };
    if (line.provedTs === null || Math.abs(this.options.clock.now() - line.provedTs) <= PROOF_MS) return line;
    return { ...line, ...unproved(`Not checked lately. Last result: ${line.message}`) };
  }

  async #run(check: Check): Promise<HealthLine> {
    const { logger, clock } = this.options;
    const finding = await check.check().catch((error: unknown): Finding => {
      logger.error({ err: error, check: check.id }, 'a health check failed unexpectedly');
      return failed('This could not be checked.', 'Search the log for this time.');
    });
    const provedTs = finding.state === 'not_yet_proved' ? null : clock.now();
    return { provedTs, ...lineOf(check, finding) };
  }
}

function lineOf({ id, title, how, href }: Check, finding: Finding): Omit<HealthLine, 'provedTs'> {
  return { id, title, how, ...finding, href: finding.href ?? href ?? null };
}
