import { describe, expect, it } from 'vitest';

import { testEngines } from '../../support/store/databases.js';
import { setHeldTables } from './held-tables.js';

const ASKED = 270;
/** Of one client: 2 run, 200 wait, as in `token-reads.test.ts`. */
const ADMITTED = 202;
const MEDIA_ID = '2026-11-23_AAAAAAAAAAAAAAAA';

describe.runIf(testEngines().includes('postgresql'))('media that is open to everybody', () => {
  const held = setHeldTables({ enable_authenticated_media: false });

  it('is looked up by turns of clients, as tokens are', async () => {
    const { server_name: serverName } = held.service.context.config;
    const path = `/_svc/media/v3/download/${serverName}/${MEDIA_ID}`;
    await held.hold('media');
    const ended: number[] = [];
    const crowd = Array.from({ length: ASKED }, () =>
      held.ask(path, '127.0.0.2').then((status) => ended.push(status)),
    );

    await expect.poll(() => ended.length).toBe(ASKED - ADMITTED);
    expect(new Set(ended)).toEqual(new Set([503]));
    expect(await held.ask('/_svc/key/v2/server', '127.0.0.3')).toBe(200);

    await held.release();
    await Promise.all(crowd);
    expect(new Set(ended)).toContain(404);
  });
});
