import { beforeAll, describe, expect, it } from 'vitest';

import { makeTestKey } from '../../support/origins/key-record-maker.js';
import { REFRESH, startKeysKit } from './keys-kit.js';
import { setUp } from '../../support/set-up.js';

const SERVER = `query Alarm($name: String!) { server(name: $name) {
  needsLook alarms { id message keyId } } }`;
const LIST = `query Alarmed($needsLook: Boolean) { servers(filter: { needsLook: $needsLook }) {
  nodes { name } } }`;
const ACKNOWLEDGE = `mutation Acknowledge($serverName: String!, $throughId: ID!, $reason: String!) { acknowledgeKeyAlarm(serverName: $serverName, throughId: $throughId, reason: $reason) {
  userErrors { code field } server { needsLook } } }`;

describe('a replaced key', () => {
  const kit = setUp(startKeysKit);
  let name: string;
  beforeAll(async () => {
    name = kit.remote.serverName;
  });

  /** The server publishes another key under the same name. */
  const replace = async () => {
    kit.service.clock.advance(1000);
    kit.remote.publish({ keys: [makeTestKey('k1')] });
    await kit.runner.run(REFRESH, { serverName: name });
  };
  const alarmsOf = async () => (await kit.runner.run(SERVER, { name }, 'viewer')).data.server;
  const listed = async (needsLook: boolean | null) =>
    (await kit.runner.run(LIST, { needsLook })).data.servers.nodes.map((node: { name: string }) => node.name);
  const healthLine = async () => {
    const checks = await kit.service.context.services.health.look();
    return checks.find(({ id }) => id === 'alarms');
  };
  const acknowledge = async (
    throughId: string,
    words = 'asked them',
    role: 'viewer' | 'operator' = 'operator',
  ) => kit.runner.run(ACKNOWLEDGE, { serverName: name, throughId, reason: words }, role);

  it('is an alarm in the server, the list and the health list until it is acknowledged', async () => {
    await kit.runner.run(REFRESH, { serverName: name });
    expect(await alarmsOf()).toEqual({ needsLook: false, alarms: [] });
    expect(await healthLine()).toMatchObject({ state: 'ok' });
    await replace();
    const { needsLook, alarms } = await alarmsOf();
    expect(needsLook).toBe(true);
    expect(alarms).toMatchObject([{ keyId: 'ed25519:k1' }]);
    expect([await listed(true), await listed(false), await listed(null)]).toEqual([[name], [], [name]]);
    expect(await healthLine()).toMatchObject({ state: 'failed', href: `/keys/${encodeURIComponent(name)}` });
    kit.service.clock.advance(100 * 24 * 3_600_000);
    expect(await healthLine()).toMatchObject({ state: 'failed' });

    expect((await acknowledge(alarms[0].id, ' ')).data.acknowledgeKeyAlarm.userErrors).toEqual([
      { code: 'INVALID', field: ['reason'] },
    ]);
    expect((await acknowledge(alarms[0].id, 'a', 'viewer')).errors).toMatchObject([{ code: 'FORBIDDEN' }]);
    expect((await acknowledge(alarms[0].id)).data.acknowledgeKeyAlarm).toEqual({
      userErrors: [],
      server: { needsLook: false },
    });
    expect(await alarmsOf()).toEqual({ needsLook: false, alarms: [] });
    expect(await listed(true)).toEqual([]);
    expect(await healthLine()).toMatchObject({ state: 'ok' });
    expect((await acknowledge(alarms[0].id)).data.acknowledgeKeyAlarm).toMatchObject({
      userErrors: [{ code: 'CONFLICT' }],
      server: { needsLook: false },
    });
  });

  it('stays an alarm when it came after what was seen, and a later one does not hide the first', async () => {
    await replace();
    const [first] = (await alarmsOf()).alarms;
    await replace();
    const both = (await alarmsOf()).alarms;
    expect(both).toHaveLength(2);
    expect(both[1]).toEqual(first);

    expect((await acknowledge(first.id)).data.acknowledgeKeyAlarm.server).toEqual({ needsLook: true });
    expect((await alarmsOf()).alarms).toEqual([both[0]]);
  });

  it('leaves in audit who acknowledged it, when and with which words', async () => {
    await replace();
    const [newest] = (await alarmsOf()).alarms;
    await acknowledge(newest.id, 'they reinstalled');
    const { client } = kit.service.context.parts.database;
    const entry = await client.auditEvent.findFirst({
      where: { action: 'acknowledgeKeyAlarm', outcome: 'ok' },
      orderBy: { id: 'desc' },
    });
    expect(entry).toMatchObject({
      actor: '@op:test',
      role: 'operator',
      targetId: name,
      detail: { reason: 'they reinstalled', through: newest.id },
    });
  });
});
