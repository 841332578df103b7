import http from 'node:http';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { startHomeserver } from '../../support/origins/homeserver.js';
import { startTestService, type TestService } from '../../support/service.js';
import { metricOf } from '../../support/world.js';

const INVENTED = 300;
const AT_ONCE = 16;
const MAX_WAITING_OF_ONE = 250;

let homeserver: Awaited<ReturnType<typeof startHomeserver>>;
let service: TestService;

beforeEach(async () => {
  homeserver = await startHomeserver({ good: { user_id: '@a:hs' } });
  homeserver.state.silentAbout = /^invented/;
  service = await startTestService({
    settings: { dialect: 'matrix', auth: { homeserver_url: homeserver.url } },
  });
});
afterEach(async () => {
  await service.remove();
  await homeserver.close();
});

const agent = new http.Agent({ keepAlive: false });

/** Asks for a preview of nothing; resolves with the status: 400 when the token was good. */
function ask(token: string, localAddress: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { localAddress, agent, headers: { Authorization: `Bearer ${token}` } };
    http
      .get(`${service.url}/_matrix/client/v1/media/preview_url`, options, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
      .on('error', reject);
  });
}

const metric = (name: string) => metricOf(service, name);

it('invented tokens of one client are asked about a few at a time, and keep nobody else waiting', async () => {
  const invented = Array.from({ length: INVENTED }, (_, at) => ask(`invented${at}`, '127.0.0.2'));
  await expect.poll(() => metric('vidimus_tokens_waiting')).toBe(MAX_WAITING_OF_ONE);
  expect(homeserver.asked).toHaveLength(AT_ONCE);
  expect(await metric('vidimus_tokens_asked')).toBe(AT_ONCE);

  expect(await ask('good', '127.0.0.3')).toBe(400);
  expect(homeserver.asked).toHaveLength(AT_ONCE + 1);
  const refused = INVENTED - AT_ONCE - MAX_WAITING_OF_ONE;
  await expect.poll(() => metric('vidimus_client_bound_total{bound="tokens"}')).toBe(refused);
  expect(service.logs).toContainEqual(
    expect.objectContaining({ level: 'warn', bound: 'tokens', client: 'ip:127.0.0.2' }),
  );
  const checks = await service.context.services.health.look();
  expect(checks.find(({ id }) => id === 'limits')).toMatchObject({
    state: 'warning',
    message: expect.stringContaining('tokens to check at the homeserver') as string,
  });
  expect(new Set(await Promise.all(invented))).toEqual(new Set([503]));
});

it('a flood of refused tokens does not make good ones be asked about again', async () => {
  homeserver.state.silentAbout = null;
  expect(await ask('good', '127.0.0.3')).toBe(400);
  // More than are remembered of either kind.
  const { users } = service.context.access;
  const client = 'ip:127.0.0.2';
  for (let at = 0; at < 10_100; at += 1) {
    // What cannot be a token is refused without a question.
    const request = { authorization: [], queryToken: `\u0100${at}`, asUserId: null, client: () => client };
    await users.authenticate(request).catch(() => undefined);
  }

  expect(await ask('good', '127.0.0.3')).toBe(400);
  expect(homeserver.asked).toHaveLength(1);
});
