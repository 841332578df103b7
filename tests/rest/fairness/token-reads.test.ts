import { describe, expect, it } from 'vitest';

import { postKey } from '../../support/clients/notary-client.js';
import { createToken } from '../../support/clients/preview-client.js';
import { healthLine } from '../../support/health-line.js';
import { testEngines } from '../../support/store/databases.js';
import { adminListeners } from '../operators/admin-kit.js';
import { setHeldTables } from './held-tables.js';

const INVENTED = 270;
/** Of one client: 2 run, and as many wait as may while nobody else does. */
const ADMITTED = 202;

describe.runIf(testEngines().includes('postgresql'))('look-ups of access tokens', () => {
  const held = setHeldTables();
  /** Asks for a preview of nothing; 400 when the token is good. */
  const ask = (token: string, localAddress: string) =>
    held.ask('/_svc/media/v3/preview_url', localAddress, { Authorization: `Bearer ${token}` });

  it('take turns by client: nobody else waits for invented ones, and the bound is told', async () => {
    const { service } = held;
    const [known, fresh] = [await createToken(service, '@known:x'), await createToken(service, '@fresh:x')];
    expect(await ask(known, '127.0.0.3')).toBe(400);
    await held.hold('access_token');
    const ended: number[] = [];
    const crowd = Array.from({ length: INVENTED }, (_, at) =>
      ask(`invented${at}`, '127.0.0.2').then((status) => ended.push(status)),
    );
    await expect.poll(() => ended.length).toBe(INVENTED - ADMITTED);
    expect(new Set(ended)).toEqual(new Set([503]));

    expect((await postKey(service.url, 'nowhere.test')).records).toEqual([]);
    expect(await ask(known, '127.0.0.3')).toBe(400);
    const neighbour = ask(fresh, '127.0.0.4').then((status) => ({
      status,
      before: ended.length - (INVENTED - ADMITTED),
    }));
    await held.release();
    const { status, before } = await neighbour;
    expect(status).toBe(400);
    expect(before).toBeLessThan(ADMITTED / 4);
    await Promise.all(crowd);
    const statuses = ended.toSorted((a, b) => a - b);
    expect(statuses).toEqual([
      ...Array<number>(ADMITTED).fill(401),
      ...Array<number>(INVENTED - ADMITTED).fill(503),
    ]);

    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain(`vidimus_client_bound_total{bound="token_reads"} ${INVENTED - ADMITTED}`);
    expect(service.logs).toContainEqual(
      expect.objectContaining({ level: 'warn', bound: 'token_reads', client: 'ip:127.0.0.2' }),
    );
    expect(await healthLine(service, 'limits')).toMatchObject({
      state: 'warning',
      message: expect.stringContaining('tokens to look up') as string,
    });
  });
});

describe.runIf(testEngines().includes('postgresql'))('look-ups for the operators and for /metrics', () => {
  const held = setHeldTables({
    ...adminListeners(),
    metrics_require_token: true,
  });

  it.each([
    ['sessions', 'admin_session', '/admin/session', { Cookie: `vidimus_session=${'A'.repeat(43)}` }],
    ['tokens', 'access_token', '/admin/session', { Authorization: 'Bearer invented' }],
    ['tokens for metrics', 'access_token', '/metrics', { Authorization: 'Bearer invented' }],
  ])('take turns by client, too: invented %s', async (_what, table, path, headers) => {
    await held.hold(table);
    const ended: number[] = [];
    const crowd = Array.from({ length: INVENTED }, () =>
      held.ask(path, '127.0.0.2', headers).then((status) => ended.push(status)),
    );

    await expect.poll(() => ended.length).toBe(INVENTED - ADMITTED);
    expect(new Set(ended)).toEqual(new Set([503]));
    expect(await held.ask('/_svc/key/v2/server', '127.0.0.3')).toBe(200);

    await held.release();
    await Promise.all(crowd);
    expect(ended.filter((status) => status !== 503).length).toBeGreaterThan(0);
  });
});
