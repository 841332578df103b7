import { afterEach, describe, expect, it } from 'vitest';

import { DAY_MS } from '../../src/core/base/clock.js';
import { programTs } from '../../src/core/store/migration-files.js';
import { healthLine } from '../support/health-line.js';
import { ManualClock } from '../support/manual-clock.js';
import { OWN_NAME, startTestService, type TestService } from '../support/service.js';

const YEAR_MS = 365 * DAY_MS;
const MADE_TS = programTs('sqlite');
const SETTINGS = {
  listeners: [{ port: 0, resources: ['keys', 'health'] }],
};

let service: TestService;
afterEach(() => service.remove());

const start = async (nowTs: number, caPaths: string[] = []) => {
  service = await startTestService({ settings: SETTINGS, caPaths, clock: new ManualClock(nowTs) });
  return service;
};
async function own() {
  const response = await fetch(`${service.url}/_svc/key/v2/server`);
  const { status, headers } = response;
  const { valid_until_ts: validUntilTs } = (await response.json()) as { valid_until_ts: number };
  return {
    status,
    reason: headers.get('error-reason'),
    retryAfter: headers.get('retry-after'),
    validUntilTs,
  };
}
const isWithheld = { status: 503, reason: 'clock_wrong', retryAfter: '30' };
const statusOfQuery = async (name: string) => {
  const body = JSON.stringify({ server_keys: { [name]: {} } });
  return (await fetch(`${service.url}/_svc/key/v2/query`, { method: 'POST', body })).status;
};

describe('a clock that cannot be right', () => {
  it('signs nothing that states the time, retires no key, and is told; once it is possible all goes on', async () => {
    const { clock, logs, context } = await start(DAY_MS);
    const { client } = context.parts.database;
    expect(await own()).toMatchObject(isWithheld);
    expect([await statusOfQuery(OWN_NAME), await statusOfQuery('other.test')]).toEqual([503, 200]);
    expect([await client.ownRecord.count(), await client.signingKey.count()]).toEqual([0, 0]);
    expect(logs.filter(({ level }) => level === 'error').map(({ msg }) => msg)).toContainEqual(
      expect.stringMatching(
        /^The clock of this machine says 1970-01-02, years before .*Nothing that states a time is signed/,
      ),
    );
    const line = await healthLine(service, 'own_keys');
    expect([line?.state, line?.message]).toEqual(['failed', expect.stringContaining('1970-01-02')]);

    clock.advance(MADE_TS);
    await expect.poll(own).toMatchObject({ status: 200 });
    expect((await own()).validUntilTs).toBe(clock.now() + DAY_MS);
    expect((await healthLine(service, 'own_keys'))?.state).toBe('ok');
    clock.advance(-MADE_TS);
    expect(await own()).toMatchObject(isWithheld);
  });

  it('may be right for as long as a program is in use', async () => {
    await start(MADE_TS);
    service.clock.advance(12 * YEAR_MS);
    expect(await own()).toMatchObject({ status: 200 });
    service.clock.advance(9 * YEAR_MS);
    expect(await own()).toMatchObject(isWithheld);
    await service.context.services.health.probe();
    expect((await healthLine(service, 'clock'))?.state).toBe('failed');
  });
});
