import { ApiError } from '../../base/errors/api-error.js';
import { isRefusal } from '../../base/errors/outbound-error.js';
import type { PreviewCache } from '../../preview/pipeline/preview-cache.js';
import type { MemoryPreviews } from '../overview/overview.js';

const LATEST_FAILURES = 5;

/** What is in memory, and the latest failures; what a rule refuses has its own list. */
export function memoryPreviews(cache: PreviewCache): MemoryPreviews {
  const failures = cache.failures().filter(({ outcome }) => !isRefusal(outcome.error));
  const latestFailures = failures.slice(0, LATEST_FAILURES).map(({ url, storedTs, outcome }) => ({
    url,
    ts: storedTs,
    message: outcome.error instanceof ApiError ? outcome.error.message : 'The preview failed.',
  }));
  return { failed: cache.size().failed, latestFailures };
}
