import { describe, expect, it } from 'vitest';

import { getKeys } from '../../support/clients/notary-client.js';
import { testEngines } from '../../support/store/databases.js';
import { setHeldTables } from './held-tables.js';

const CLIENTS = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6', '127.0.0.7'];
const QUESTIONS = 10;
/** log.max_reads and auth.max_token_reads together. */
const READS = 4 + 3;

describe.runIf(testEngines().includes('postgresql'))('anonymous clients of a slow store', () => {
  const held = setHeldTables({}, { hasAllConnections: true });

  it('leave connections for all else, whatever they ask for at once, on default settings', async () => {
    await held.hold('log_entry', 'access_token');
    const crowd = CLIENTS.flatMap((client) =>
      Array.from({ length: QUESTIONS }, (_, at) => [
        held.ask(`/_svc/vidimus/v1/log/proof/record/${at.toString(16).padStart(64, '0')}`, client),
        held.ask('/_svc/media/v3/preview_url', client, { Authorization: `Bearer invented${at}` }),
      ]).flat(),
    );
    await expect.poll(() => held.countWaiting()).toBe(READS);

    const asked = Array.from({ length: 10 }, (_, at) => getKeys(held.service.url, `query/nowhere${at}.test`));
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200);

    await held.release();
    await Promise.all(crowd);
  });
});
