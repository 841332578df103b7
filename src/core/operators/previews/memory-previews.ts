import { ApiError } from '../../base/errors/api-error.js';
import type { PreviewCache, PreviewOutcome } from '../../preview/pipeline/preview-cache.js';
import type { MemoryPreviews } from '../overview/overview.js';

const LATEST_FAILURES = 5;

/** What is in memory, and the latest failures of what is broken. */
export function memoryPreviews(cache: PreviewCache): MemoryPreviews {
  const failures = cache.latestFailures(LATEST_FAILURES, ({ outcome }) => !isRefusal(outcome));
  const latestFailures = failures.map(({ url, storedTs, outcome }) => ({
    url,
    ts: storedTs,
    message: messageOf(outcome),
  }));
  return { ...cache.size(), latestFailures };
}

/** What a rule refuses has its own list, and would leave none of this to what is broken. */
function isRefusal(outcome: PreviewOutcome | null): boolean {
  const error = errorOf(outcome);
  return error?.status === 403 || error?.reason === 'address_blocked';
}

function messageOf(outcome: PreviewOutcome | null): string {
  return errorOf(outcome)?.message ?? 'The preview failed.';
}

function errorOf(outcome: PreviewOutcome | null): ApiError | null {
  const error = outcome !== null && 'error' in outcome ? outcome.error : null;
  return error instanceof ApiError ? error : null;
}
