import { beforeAll, describe, expect, it } from 'vitest';

import { AdminClient, startGraphqlService } from '../support/clients/admin-client.js';
import { queriesOf } from '../support/store/count-queries.js';
import { seedRows } from './seed-rows.js';
import { setUp } from '../support/set-up.js';

const ROWS = 30;

/** Every list with everything a row leads to; `$n` is how many. */
const LISTS: [string, string][] = [
  [
    'servers',
    `query ($n: Int) { servers(first: $n) { totalCount nodes { id name federationAllowed worstState
      lastFetch { id steps { name } } } } }`,
  ],
  [
    'previews',
    `query ($n: Int) { previews(first: $n) { nodes { id title media { id } image { id viewPath } } } }`,
  ],
  ['media', `query ($n: Int) { media(first: $n) { nodes { id thumbnails { width } previews { url } } } }`],
  ['blockHits', `query ($n: Int) { blockHits(first: $n) { nodes { id rule { id hits lastHitAt } } } }`],
  [
    'job runs',
    `query ($n: Int) { job(name: "preview_cleanup") { runs(first: $n) { nodes { id job { name title } } } } }`,
  ],
  ['apiTokens', `query ($n: Int) { apiTokens(first: $n) { nodes { id name scopes } } }`],
  ['auditEvents', `query ($n: Int) { auditEvents(first: $n) { nodes { id summary } } }`],
];

describe('queries of a list', () => {
  const service = setUp(startGraphqlService);

  beforeAll(async () => {
    await seedRows(service.context.parts.database.client, ROWS);
  });

  it.each(LISTS)('%s: as many for 30 rows as for 2', async (_, document) => {
    const client = await AdminClient.withToken(service, 'admin_write');
    const read = async (n: number): Promise<{ rows: number; queries: string[] }> => {
      let rows = 0;
      const queries = await queriesOf(async () => {
        const data = await client.data<Record<string, unknown>>(document, { n });
        rows = JSON.stringify(data).split('"id"').length - 1;
      });
      return { rows, queries: queries.sort() };
    };
    // What the service does beside comes and goes; what a list needs is in every reading.
    const leastOf = async (n: number) => {
      const readings = [await read(n), await read(n), await read(n)];
      return readings.reduce((least, next) => (next.queries.length < least.queries.length ? next : least));
    };
    await read(2);
    const few = await leastOf(2);
    const many = await leastOf(ROWS);

    expect(many.rows).toBeGreaterThanOrEqual(ROWS);
    expect(many.rows).toBeGreaterThan(few.rows);
    expect(many.queries).toHaveLength(few.queries.length);
  });
});
