import { afterEach, expect, it } from 'vitest';

import { startHomeserver } from '../../../support/origins/homeserver.js';
import { startTestService, type TestService } from '../../../support/service.js';

const clean: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of clean.splice(0).toReversed()) await undo();
});

async function start(more: Record<string, unknown> = {}) {
  const homeserver = await startHomeserver({
    good: { user_id: '@a:hs' },
    guest: { user_id: '@g:hs', is_guest: true },
  });
  clean.push(() => homeserver.close());
  const settings = { dialect: 'matrix', auth: { homeserver_url: homeserver.url }, ...more };
  const service = await startTestService({ settings });
  clean.push(() => service.remove());
  const ask = async (token: string | null) => {
    const headers = new Headers(token === null ? {} : { Authorization: `Bearer ${token}` });
    return (await fetch(`${service.url}/_matrix/client/v1/media/preview_url`, { headers })).status;
  };
  return { homeserver, service, ask };
}

const listed = (service: TestService) =>
  service.context.services.access.refused
    .list()
    .map(({ status, errcode, times }) => `${status} ${errcode} ${times}`)
    .toSorted();

it('counts and lists who was refused before the previewer had the request, by reason', async () => {
  const { service, ask, homeserver } = await start();
  expect(await ask(null)).toBe(401);
  expect(await ask(null)).toBe(401);
  expect(await ask('unknown')).toBe(401);
  expect(await ask('guest')).toBe(403);
  // Let in, and no such refusal: the parameter is missing.
  expect(await ask('good')).toBe(400);
  homeserver.state.fail = true;
  expect(await ask('other')).toBe(503);

  expect(listed(service)).toEqual([
    '401 M_MISSING_TOKEN 2',
    '401 M_UNKNOWN_TOKEN 1',
    '403 M_GUEST_ACCESS_FORBIDDEN 1',
    '503 M_UNKNOWN 1',
  ]);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toContain('vidimus_preview_refusals_total{refusal="denied"} 4');
  expect(metrics).toContain('vidimus_preview_refusals_total{refusal="unavailable"} 1');
});

it('is a failed health line when most requests are refused with 503', async () => {
  const { service, ask, homeserver } = await start();
  homeserver.state.fail = true;
  for (let count = 0; count < 10; count += 1) expect(await ask(`token-${count}`)).toBe(503);
  // At its end a process writes what it counted in its last minute.
  const next = await service.restart();
  clean.push(() => next.stop());
  const checks = await next.context.services.health.look();
  expect(checks.find(({ id }) => id === 'previews')).toMatchObject({ state: 'failed' });
});

it('tells guests that they are guests, and others that there are no previews', async () => {
  const { service, ask } = await start({ url_preview_enabled: false });
  expect(await ask('guest')).toBe(403);
  expect(await ask('good')).toBe(403);

  expect(listed(service)).toEqual(['403 M_FORBIDDEN 1', '403 M_GUEST_ACCESS_FORBIDDEN 1']);
});
