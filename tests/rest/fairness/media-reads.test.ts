import { describe, expect, it } from 'vitest';

import { testEngines } from '../../support/store/databases.js';
import { setHeldTables } from './held-tables.js';

const ASKED = 170;
/** Of one client: 2 run, 100 wait, as in `token-reads.test.ts`. */
const ADMITTED = 102;
const SIZE = '?width=96&height=96';
const MEDIA_ID = '2026-11-23_AAAAAAAAAAAAAAAA';

describe.runIf(testEngines().includes('postgresql')).each([
  [
    'without a token beside a homeserver',
    { dialect: 'matrix', server_name: 'localhost' },
    '/_matrix/media/v3/download',
    '',
  ],
  ['that is open to everybody', { enable_authenticated_media: false }, '/_svc/media/v3/download', ''],
  [
    'whose thumbnail is open to everybody',
    { enable_authenticated_media: false },
    '/_svc/media/v3/thumbnail',
    SIZE,
  ],
])('media %s', (_what, settings, base, query) => {
  const held = setHeldTables(settings);

  it('is looked up by turns of clients, as tokens are', async () => {
    const { server_name: serverName } = held.service.context.config;
    const path = `${base}/${serverName}/${MEDIA_ID}${query}`;
    await held.hold('media');
    const ended: number[] = [];
    const crowd = Array.from({ length: ASKED }, () =>
      held.ask(path, '127.0.0.2').then((status) => ended.push(status)),
    );

    await expect.poll(() => ended.length).toBe(ASKED - ADMITTED);
    expect(new Set(ended)).toEqual(new Set([503]));
    expect(await held.ask(`${base.split('/media')[0]}/key/v2/server`, '127.0.0.3')).toBe(200);

    await held.release();
    await Promise.all(crowd);
    expect(new Set(ended)).toContain(404);
  });
});
