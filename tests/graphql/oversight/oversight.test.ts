import { afterEach, describe, expect, it } from 'vitest';

import { HOUR_MS } from '../../../src/core/base/clock.js';
import { AdminClient, startGraphqlService } from '../../support/clients/admin-client.js';
import { postKey } from '../../support/clients/notary-client.js';
import { makeTestKey } from '../../support/origins/key-record-maker.js';
import { createTestAuthority, startRemoteServer } from '../../support/origins/remote-server.js';
import { startWebhookReceiver } from '../../support/origins/webhook-receiver.js';
import { testEngines } from '../../support/store/databases.js';

const clean: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of clean.splice(0).toReversed()) await undo();
});

const FILE_KEY = makeTestKey('f1');
const RULE =
  'rule { kind name createdBy webhook mode url keys { keyId publicKey } } userErrors { code message }';
const SET_WATCH = `mutation ($input: SetWatchInput!) { setWatch(input: $input) { ${RULE} } }`;
const SET_PIN = `mutation ($input: SetPinInput!) { setPin(input: $input) { ${RULE} } }`;
const SET_NOTARY = `mutation ($input: SetNotaryInput!) { setNotary(input: $input) { ${RULE} } }`;
const REMOVE_PIN = `mutation ($input: RemoveOversightInput!) { removePin(input: $input) { ${RULE} } }`;

interface Changed {
  rule: Record<string, unknown> | null;
  userErrors: { code: string; message: string }[];
}

describe.each(testEngines())('oversight over the API, on %s', (engine) => {
  const started = async (more: object = {}) => {
    const authority = await createTestAuthority();
    clean.push(() => authority.remove());
    const ops = await startWebhookReceiver();
    clean.push(() => ops.close());
    const hook = { name: 'ops', url: ops.url, secret: 'sixteen characters', allow_private: true };
    const settings = {
      alerts: { webhooks: [hook] },
      pins: [{ server_name: 'file.example', keys: { [FILE_KEY.keyId]: FILE_KEY.publicKey } }],
      ...more,
    };
    const service = await startGraphqlService({ engine, settings, caPaths: [authority.caPath] });
    clean.push(() => service.remove());
    const remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + 24 * HOUR_MS });
    clean.push(() => remote.origin.close());
    return { service, ops, remote, admin: await AdminClient.signIn(service, 'admin') };
  };
  const changed = async (client: AdminClient, text: string, input: object): Promise<Changed> => {
    const data = await client.data<Record<string, Changed>>(text, { input });
    return Object.values(data)[0]!;
  };

  it('a watch that an operator sets holds at once, over a restart, and stands in audit with before and after', async () => {
    const { service, ops, remote, admin } = await started();
    const { rule } = await changed(admin, SET_WATCH, { serverName: remote.serverName, webhook: 'ops' });
    expect(rule).toMatchObject({ kind: 'WATCH', name: remote.serverName, webhook: 'ops' });
    expect(rule!['createdBy']).not.toBeNull();
    const again = await service.restart();
    clean.push(() => again.stop());
    await postKey(again.url, remote.serverName);
    await again.context.services.oversight.send();
    expect(ops.received.map(({ json }) => json.kind)).toEqual(['server_first_seen', 'key_added']);
    const { client } = again.context.parts.database;
    const [entry] = await client.auditEvent.findMany({ where: { action: 'setWatch' } });
    expect(entry).toMatchObject({
      summary: `Set the watch of ${remote.serverName}`,
      outcome: 'ok',
      detail: { before: null, after: { server_name: remote.serverName, webhook: 'ops' } },
    });
  });

  it('a pin of what is stored now, and what contradicts it', async () => {
    const { service, remote, admin } = await started();
    await postKey(service.url, remote.serverName);
    const ASK = `query ($name: String!) { serverOversight(name: $name) {
      pin { mode createdBy } contradictingKeyIds keys { keyId publicKey } } }`;
    type Found = { serverOversight: { pin: object | null; contradictingKeyIds: string[]; keys: object[] } };
    const ask = async () => (await admin.send<Found>(ASK, { name: remote.serverName })).data!.serverOversight;
    const { keys } = await ask();
    expect(keys).toEqual([{ keyId: 'ed25519:k1', publicKey: remote.key.publicKey }]);
    await changed(admin, SET_PIN, { serverName: remote.serverName, keys, mode: 'REPORT' });
    expect(await ask()).toMatchObject({ pin: { mode: 'REPORT' }, contradictingKeyIds: [] });
    remote.publish({ keys: [remote.key, makeTestKey('k2')] });
    await service.context.services.keys.refresher.refreshNow(remote.serverName);
    service.clock.advance(1);
    expect((await ask()).contradictingKeyIds).toEqual(['ed25519:k2']);
    await changed(admin, REMOVE_PIN, { serverName: remote.serverName });
    expect((await ask()).pin).toBeNull();
  });

  it('refuses what is wrong, unknown, or stands in the configuration', async () => {
    const { admin } = await started();
    const keys = [{ keyId: 'ed25519:a', publicKey: 'A'.repeat(43) }];
    const refused = async (text: string, input: object) =>
      (await changed(admin, text, input)).userErrors[0]?.message;
    expect(await refused(SET_WATCH, { serverName: 'a.example', webhook: 'none' })).toContain('webhook');
    expect(await refused(SET_WATCH, { serverName: 'not a name', webhook: 'ops' })).toContain('server_name');
    expect(await refused(SET_PIN, { serverName: 'a.example', keys: [] })).toContain('keys');
    expect(await refused(SET_PIN, { serverName: 'file.example', keys })).toContain('configuration');
    expect(await refused(REMOVE_PIN, { serverName: 'file.example' })).toContain('configuration');
    expect(await refused(SET_NOTARY, { serverName: 'n.example', url: 'ftp://n.example/', keys })).toContain(
      'url',
    );
    expect(await refused(REMOVE_PIN, { serverName: 'a.example' })).toContain('none');
  });

  it('tests a webhook, and lists what was sent', async () => {
    const { ops, admin } = await started();
    const TEST = `mutation ($input: TestWebhookInput!) { testWebhook(input: $input) {
      delivery { state message } userErrors { code } } }`;
    const { data } = await admin.send<{ testWebhook: object }>(TEST, { input: { name: 'ops' } });
    expect(data!.testWebhook).toMatchObject({ delivery: { state: 'DONE', message: 'Answered 204.' } });
    expect(ops.received[0]!.json['type']).toBe('test');
    const LIST = `{ webhooks { name host tells } deliveries(first: 5, filter: { state: DONE }) {
      nodes { channel destination kind attempts } totalCount { count } } }`;
    const listed = await admin.data<Record<string, unknown>>(LIST);
    expect(listed).toMatchObject({
      webhooks: [{ name: 'ops', host: new URL(ops.url).origin, tells: ['alarms', 'health'] }],
      deliveries: {
        nodes: [{ channel: 'WEBHOOK', destination: 'ops', kind: 'test', attempts: 1 }],
        totalCount: { count: 1 },
      },
    });
    expect(JSON.stringify(listed)).not.toContain('token');
  });

  it('shows neither secrets nor the addresses of webhooks among the settings', async () => {
    const { admin } = await started();
    const { data } = await admin.send<{ effectiveSettings: string }>(
      '{ effectiveSettings settings { path value } }',
    );
    expect(JSON.stringify(data)).not.toContain('sixteen characters');
    expect(JSON.stringify(data)).not.toContain('token=x');
  });

  it('the diagnosis tells of the pin and of other notaries', async () => {
    const { service, remote, admin } = await started({
      cross_check: [
        {
          server_name: 'n.example',
          url: 'http://127.0.0.1:9/',
          keys: { 'ed25519:n': 'A'.repeat(43) },
          allow_private: true,
        },
      ],
    });
    const DIAGNOSE = `mutation ($input: DiagnoseServerInput!) { diagnoseServer(input: $input) {
      report { ok steps { name status advice } } } }`;
    type Report = {
      diagnoseServer: {
        report: { ok: boolean; steps: { name: string; status: string; advice: string | null }[] };
      };
    };
    const diagnose = async () => {
      const { data } = await admin.send<Report>(DIAGNOSE, { input: { serverName: remote.serverName } });
      const { ok, steps } = data!.diagnoseServer.report;
      const told = steps.filter(({ name }) => name === 'pin' || name === 'cross-check');
      return { ok, told: told.map(({ status, advice }) => [status, advice !== null]) };
    };
    expect(await diagnose()).toEqual({
      ok: true,
      told: [
        ['SKIPPED', false],
        ['WARNING', true],
      ],
    });
    const keys = [{ keyId: 'ed25519:k1', publicKey: makeTestKey('k1').publicKey }];
    await changed(admin, SET_PIN, { serverName: remote.serverName, keys });
    expect(await diagnose()).toEqual({
      ok: false,
      told: [
        ['FAILED', true],
        ['WARNING', true],
      ],
    });
    expect(await service.context.parts.database.client.keyEvent.count()).toBe(0);
  });
});
