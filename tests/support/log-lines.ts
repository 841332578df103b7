import { vi } from 'vitest';

import type { TestService } from './service.js';
import { PATIENCE_MS } from './patience.js';

/** Waits for the log lines of answered requests: a line is written when its answer has been sent, or just after. */
export function linesOf(service: TestService, answers: readonly { headers: Headers }[]): Promise<void> {
  return vi.waitFor(() => {
    // Only the line of the answer has its status; others of the same request come before it.
    const closed = service.logs.filter((line) => line['code'] !== undefined);
    const logged = new Set(closed.map((line) => line['request_id']));
    const missing = answers.filter(({ headers }) => !logged.has(headers.get('x-request-id')));
    if (missing.length > 0) throw new Error(`${missing.length} requests are not in the log`);
  }, PATIENCE_MS);
}
