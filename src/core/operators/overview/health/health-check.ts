import type { Clock } from '../../../base/clock.js';
import type { Logger } from '../../../base/logger.js';

/** One line of the health list: fine, what is wrong and where it is put right, or that nobody has proved it. */
export interface HealthCheck {
  /** Stable name, such as `disk`. */
  key: string;
  title: string;
  state: 'ok' | 'warning' | 'failed' | 'unproved';
  /** One sentence. */
  message: string;
  /** What to do; `null` when nothing needs doing. */
  advice: string | null;
  /** Path inside the web UI, below its base path; `null`: no page shows more. */
  href: string | null;
  /** When it was last proved, POSIX ms; `null`: never. */
  provedTs: number | null;
  /** What proves it, in a few words. */
  how: string;
  /** The job that proves it anew; `null`: each look does. */
  job: string | null;
}

/** What a check found; the rest of its line stands in the list of checks. */
export interface Finding extends Pick<HealthCheck, 'state' | 'message' | 'advice' | 'href'> {
  /** As in `HealthCheck`; absent: proved by this look, unless it is unproved. */
  provedTs?: number | null;
}

/** A check by name. */
export interface NamedCheck extends Pick<HealthCheck, 'key' | 'title' | 'how'> {
  /** As in `HealthCheck`; absent: `null`. */
  job?: string;
  /** Tells of what this very process has done: a command has nothing to tell. */
  isOfProcess?: true;
  /** Looks; a rejection counts as failed. */
  look: () => Promise<Finding>;
}

/** Only for what was seen to work: a setting alone proves nothing. */
export function fine(message: string, href: string | null = null): Finding {
  return { state: 'ok', message, advice: null, href };
}

export function warning(message: string, advice: string, href: string | null = null): Finding {
  return { state: 'warning', message, advice, href };
}

export function failed(message: string, advice: string, href: string | null = null): Finding {
  return { state: 'failed', message, advice, href };
}

/** Nothing happened that would show whether it works. */
export function unproved(message: string, href: string | null = null): Finding {
  return { state: 'unproved', message, advice: null, href };
}

const RANK = { failed: 0, warning: 1, unproved: 2, ok: 3 } as const;

/** The order of every list. */
export function worstFirst(checks: readonly HealthCheck[]): HealthCheck[] {
  return checks.toSorted((a, b) => RANK[a.state] - RANK[b.state]);
}

/** Looks at everything, worst first; a check that breaks is a failed one. */
export async function runChecks(
  checks: readonly NamedCheck[],
  { logger, clock }: { logger: Logger; clock: Clock },
): Promise<HealthCheck[]> {
  const found = await Promise.all(
    checks.map(async ({ key, title, how, job = null, look }): Promise<HealthCheck> => {
      const finding = await look().catch((error: unknown) => {
        logger.error({ err: error, check: key }, 'a health check could not be made');
        return failed('This could not be checked.', 'The log says why, under the time of this page.');
      });
      const { provedTs = finding.state === 'unproved' ? null : clock.now() } = finding;
      return { key, title, how, job, ...finding, provedTs };
    }),
  );
  return worstFirst(found);
}
