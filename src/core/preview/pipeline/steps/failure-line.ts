import { ApiError } from '../../../base/errors/api-error.js';
import { urlHost } from '../../../base/logger.js';
import type { PreviewJob } from '../preview-job.js';

/**
 * A log line of what failed within a preview that goes on. Of addresses it holds the hosts, since links carry secrets;
 * the operators' page of the request has the rest.
 */
export function failureLine(
  error: unknown,
  { url, requestId }: Pick<PreviewJob, 'url' | 'requestId'>,
  of: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const hosts = Object.entries({ page: url, ...of }).map(([what, address]) => [what, urlHost(address)]);
  const about = { request_id: requestId, ...Object.fromEntries(hosts) };
  if (!(error instanceof ApiError)) return { ...about, err: error };
  const { reason, originStatus, message } = error;
  return { ...about, reason, origin_status: originStatus ?? undefined, error: message };
}
