import { expect, it } from 'vitest';

import { ApiError } from '../../../../src/core/base/errors/api-error.js';
import { failureLifetimeMs } from '../../../../src/core/preview/build/job.js';

const HOUR_MS = 3_600_000;
const failure = (status: number, reason: string): ApiError => new ApiError(status, 'no', { reason });

it.each([
  ['a refused address', failure(403, 'address_blocked'), HOUR_MS],
  ['a time-out', failure(502, 'timeout_headers'), HOUR_MS],
  ['too many users at once', failure(429, 'rate_limited'), 0],
  ['our own queue', failure(503, 'overloaded'), 0],
  ['a full disk', failure(500, 'disk_full'), 0],
  ['a thread that another page may have ended', failure(500, 'worker_died'), 0],
  ['a thread that could not be started', failure(500, 'worker_unavailable'), 0],
  ['a preview that was told to stop', failure(500, 'aborted'), 0],
  ['an error of ours', new Error('oops'), 0],
  ['a name that does not exist', failure(502, 'dns_no_address'), HOUR_MS],
])('%s is remembered as long as it says something about the address', (_name, error, expectedMs) => {
  expect(failureLifetimeMs(error)).toBe(expectedMs);
});

it.each(['dns_timeout', 'dns_failure'])('%s is remembered for a minute', (reason) => {
  expect(failureLifetimeMs(failure(502, reason))).toBe(60_000);
});
