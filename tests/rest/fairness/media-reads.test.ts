import { describe, expect, it } from 'vitest';

import { testEngines } from '../../support/store/databases.js';
import { setHeldTables } from './held-tables.js';

const ASKED = 600;
/** Of one client: half of auth.max_token_reads at once, half of auth.max_waiting_token_reads waiting. */
const ADMITTED = 2 + 500;

describe.runIf(testEngines().includes('postgresql'))('media asked for without a token', () => {
  const held = setHeldTables({ dialect: 'matrix', server_name: 'localhost' });

  it('is looked up by turns of clients, as tokens are', async () => {
    const path = `/_matrix/media/v3/download/${held.service.context.config.server_name}/2026-11-23_AAAAAAAAAAAAAAAA`;
    await held.hold('media');
    const ended: number[] = [];
    const crowd = Array.from({ length: ASKED }, () =>
      held.ask(path, '127.0.0.2').then((status) => ended.push(status)),
    );

    await expect.poll(() => ended.length, { timeout: 4000 }).toBe(ASKED - ADMITTED);
    expect(new Set(ended)).toEqual(new Set([503]));
    expect(await held.ask('/_matrix/key/v2/server', '127.0.0.3')).toBe(200);

    await held.release();
    await Promise.all(crowd);
    expect(new Set(ended)).toContain(404);
  });
});
