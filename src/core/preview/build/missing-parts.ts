import { ApiError } from '../../base/errors/api-error.js';
import { isOwnDnsFailure, isUnresolved } from '../../base/errors/outbound-error.js';
import { urlHost } from '../../base/logger.js';

/** A full queue of downloads or of images to decode; a disk that is full or broken. */
const OWN_ERRORS = new Set(['busy', 'dns_busy', 'overloaded', 'disk_full', 'media_not_written']);

/** Whether it is a failure of our own, which would meet others too. */
export function isOurs(error: unknown): boolean {
  return OWN_ERRORS.has(reasonOf(error));
}

/** What a preview lacks for a reason that says nothing about the site: its image, or an oEmbed answer. */
export class MissingParts {
  /** This server had too much to do or no space, or our resolver did not answer: another time there may be more. */
  isCutShort = false;
  /** The host of something could not be resolved: soon there may be more, or never. */
  isUnresolved = false;

  /** Notes what a part failed with. */
  note(error: unknown): void {
    const reason = reasonOf(error);
    if (isOurs(error) || isOwnDnsFailure(reason)) this.isCutShort = true;
    else if (isUnresolved(reason)) this.isUnresolved = true;
  }
}

/** A log line of what failed within a preview that goes on. Of addresses it holds the hosts, since links carry secrets. */
export function failureLine(
  error: unknown,
  { url, requestId }: { url: string; requestId: string },
  of: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const hosts = Object.entries({ page: url, ...of }).map(([what, address]) => [what, urlHost(address)]);
  const about = { request_id: requestId, ...Object.fromEntries(hosts) };
  if (!(error instanceof ApiError)) return { ...about, err: error };
  const { reason, originStatus, message } = error;
  return { ...about, reason, origin_status: originStatus ?? undefined, error: message };
}

function reasonOf(error: unknown): string {
  return error instanceof ApiError ? (error.reason ?? '') : '';
}
