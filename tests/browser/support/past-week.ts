import { DAY_MS, HOUR_MS } from '../../../src/core/base/clock.js';
import { METRIC_ROWS } from '../../../src/core/operators/overview/series/metric-store.js';
import { insertRows } from '../../../src/core/store/hot-sql.js';
import type { Database } from '../../../src/core/store/db.js';

/** Which instance the figures are of. */
export const INSTANCE = 'vidimus-1';

/** Figures of the week before, as a service that has been running would have: days go up and down. */
export async function rememberAWeek(database: Database, nowTs: number): Promise<void> {
  const perHour = { key_queries: 340, key_fetches: 24, key_fetch_failures: 1, preview_requests: 96 } as const;
  const made = {
    preview_memory_hits: 50,
    preview_generated: 30,
    preview_failures: 1,
    block_hits: 4,
    preview_denied: 5,
    preview_unavailable: 3,
  } as const;
  // As finely as the chart of a day is drawn, and before it as that of a week.
  for (let hoursAgo = 7 * 24; hoursAgo > 0; hoursAgo -= hoursAgo > 24 ? 1 : 0.25) {
    const share = hoursAgo > 24 ? 1 : 0.25;
    const ts = nowTs - hoursAgo * HOUR_MS;
    const daylight = 0.55 - 0.45 * Math.cos(((ts % DAY_MS) / DAY_MS) * 2 * Math.PI);
    const rows = Object.entries({ ...perHour, ...made }).map(([metric, value], index) => ({
      metric,
      ts,
      instance: INSTANCE,
      value: Math.round(value * share * daylight * (1 + 0.25 * Math.sin(hoursAgo * 1.7 + index))),
    }));
    await insertRows(database.client, METRIC_ROWS, rows);
  }
}
