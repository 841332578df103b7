import { isOwnDnsFailure, isUnresolved } from '../../../base/errors/outbound-error.js';
import { ApiError } from '../../../base/errors/api-error.js';

/** What a preview may be short of for a reason that says nothing about the site: its image, or an oEmbed answer. */
export interface Lack {
  /**
   * Whether this server had too much to do or no place, or our resolver did not answer: another time there may be more.
   */
  isCutShort: boolean;
  /** Whether the host of something could not be resolved: soon there may be more, or never. */
  isUnresolved: boolean;
}

export const NO_LACK: Lack = { isCutShort: false, isUnresolved: false };

/** A queue of downloads that is full, and one of images to decode; a disk that is full or broken. */
const OWN_ERRORS = new Set(['busy', 'dns_busy', 'overloaded', 'disk_full', 'media_not_written']);

/** Whether it is a failure of our own, which would meet others too. */
export function isOurs(error: unknown): boolean {
  return OWN_ERRORS.has(reasonOf(error));
}

/** What a preview lacks for which something failed so. */
export function lackOf(error: unknown): Lack {
  const reason = reasonOf(error);
  const isCutShort = isOurs(error) || isOwnDnsFailure(reason);
  return { isCutShort, isUnresolved: !isCutShort && isUnresolved(reason) };
}

export function bothLacks(one: Lack, other: Lack): Lack {
  return {
    isCutShort: one.isCutShort || other.isCutShort,
    isUnresolved: one.isUnresolved || other.isUnresolved,
  };
}

function reasonOf(error: unknown): string {
  return error instanceof ApiError ? (error.reason ?? '') : '';
}
