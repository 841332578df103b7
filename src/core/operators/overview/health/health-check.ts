import type { Logger } from '../../../base/logger.js';

/** One line of the health list: fine, or what is wrong and where it is put right. */
export interface HealthCheck {
  /** Stable name, such as `disk`. */
  key: string;
  title: string;
  state: 'ok' | 'warning' | 'failed';
  /** One sentence. */
  message: string;
  /** What to do; `null` when nothing needs doing. */
  advice: string | null;
  /** Path inside the web UI, below its base path; `null`: no page shows more. */
  href: string | null;
}

/** What a check found; its key and title stand in the list of checks. */
export type Finding = Omit<HealthCheck, 'key' | 'title'>;

/** A check by name. */
export interface NamedCheck {
  key: string;
  title: string;
  /** Looks; a rejection counts as failed. */
  look: () => Promise<Finding>;
}

export function fine(message: string, href: string | null = null): Finding {
  return { state: 'ok', message, advice: null, href };
}

export function warning(message: string, advice: string, href: string | null = null): Finding {
  return { state: 'warning', message, advice, href };
}

export function failed(message: string, advice: string, href: string | null = null): Finding {
  return { state: 'failed', message, advice, href };
}

/** Looks at everything, worst first; a check that breaks is a failed one. */
export async function runChecks(checks: readonly NamedCheck[], logger: Logger): Promise<HealthCheck[]> {
  const found = await Promise.all(
    checks.map(async ({ key, title, look }): Promise<HealthCheck> => {
      const finding = await look().catch((error: unknown) => {
        logger.error({ err: error, check: key }, 'a health check could not be made');
        return failed('This could not be checked.', 'The log says why, under the time of this page.');
      });
      return { key, title, ...finding };
    }),
  );
  const rank = { failed: 0, warning: 1, ok: 2 } as const;
  return found.sort((a, b) => rank[a.state] - rank[b.state]);
}
