import { createHmac } from 'node:crypto';

import { afterEach, describe, expect, it } from 'vitest';

import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src/core/base/clock.js';
import { HealthAlarms } from '../../../../src/core/operators/alarms/webhook.js';
import type { HealthLine } from '../../../../src/core/operators/health/health.js';
import { postKey } from '../../../support/clients/notary-client.js';
import { healthLine } from '../../../support/health-line.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { makeTestKey } from '../../../support/origins/key-record-maker.js';
import { createTestAuthority, startRemoteServer } from '../../../support/origins/remote-server.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../../support/origins/webhook-receiver.js';
import { startTestService, type TestService } from '../../../support/service.js';

const SECRET = 'a secret of at least 16 characters';
const clean: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of clean.splice(0).toReversed()) await undo();
});

/** A service with a webhook, and a server that replaces its key. */
async function start() {
  const authority = await createTestAuthority();
  clean.push(() => authority.remove());
  const receiver = await startWebhookReceiver();
  clean.push(() => receiver.close());
  const settings = { alerts: { webhook: { url: receiver.url, secret: SECRET } } };
  const service = await startTestService({ caPaths: [authority.caPath], settings });
  clean.push(() => service.remove());
  const remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + HOUR_MS });
  clean.push(() => remote.origin.close());
  const { serverName } = remote;
  await postKey(service.url, serverName);
  const replaceKey = async () => {
    remote.publish({ keys: [makeTestKey('k1')] });
    service.clock.advance(50 * MINUTE_MS);
    await postKey(service.url, serverName);
  };
  return { service, receiver, serverName, replaceKey };
}

const send = ({ context }: TestService) => context.services.alarms.send();
const alarmsIn = ({ received }: WebhookReceiver) => received.filter(({ json }) => json.type === 'key_event');

describe('the webhook', () => {
  it('is sent a replaced key, signed, with the time and an ID', async () => {
    const { service, receiver, serverName, replaceKey } = await start();
    await replaceKey();
    await send(service);

    const [alarm, ...others] = alarmsIn(receiver);
    expect(others).toEqual([]);
    expect(alarm?.json).toMatchObject({
      notary: 'notary.test',
      server_name: serverName,
      kind: 'key_replaced',
      severity: 'alert',
      key_id: 'ed25519:k1',
      message: expect.any(String) as string,
      ts: service.clock.now(),
    });
    const seconds = Math.floor(service.clock.now() / SECOND_MS);
    const mac = createHmac('sha256', SECRET).update(`${seconds}.${alarm?.body}`).digest('hex');
    expect(alarm?.headers['vidimus-signature']).toBe(`t=${seconds},v1=${mac}`);
    expect(alarm?.headers['vidimus-delivery']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is asked again under the same ID for an hour, then the loss is a failed health line', async () => {
    const { service, receiver, replaceKey } = await start();
    receiver.answer = (_request, response) => void response.writeHead(503).end();
    await replaceKey();
    await send(service);
    expect(await healthLine(service, 'alarms')).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('The webhook answered 503.') as string,
    });
    await send(service);
    const ids = new Set(alarmsIn(receiver).map(({ headers }) => headers['vidimus-delivery']));
    expect(alarmsIn(receiver).length).toBeGreaterThan(1);
    expect(ids.size).toBe(1);

    service.clock.advance(HOUR_MS + 1);
    await send(service);
    expect(await healthLine(service, 'alarms')).toMatchObject({ state: 'failed' });
    const before = alarmsIn(receiver).length;
    await send(service);
    expect(alarmsIn(receiver)).toHaveLength(before);
  });

  it('tells nobody its address when it cannot be reached', async () => {
    const { service, receiver, replaceKey } = await start();
    await receiver.close();
    await replaceKey();
    await send(service);

    const line = await healthLine(service, 'alarms');
    expect(line?.message).toMatch(/The webhook failed: /);
    expect(JSON.stringify([line, service.logs])).not.toContain('token=x');
  });
});

describe('alarms of health', () => {
  const check = (state: HealthLine['state']): HealthLine[] => [
    {
      id: 'dns',
      title: 'DNS',
      state,
      message: 'm',
      advice: null,
      href: null,
      provedTs: 1,
      how: 'h',
    },
  ];

  it('tell once that a check fails and once that it recovered, and not more often than every 10 minutes', () => {
    const clock = new ManualClock();
    const alarms = new HealthAlarms(clock);
    const states = (['ok', 'failed', 'failed', 'ok'] as const).map(
      (state) => alarms.changed(check(state)).length,
    );
    expect(states).toEqual([0, 1, 0, 0]);
    clock.advance(10 * MINUTE_MS);
    expect(alarms.changed(check('not_yet_proved'))).toEqual([]);
    expect(alarms.changed(check('ok'))).toHaveLength(1);
    expect(alarms.changed(check('ok'))).toEqual([]);
  });
});
