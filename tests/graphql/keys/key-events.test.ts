import { beforeAll, describe, expect, it } from 'vitest';

import { makeTestKey } from '../../support/origins/key-record-maker.js';
import { respondJson } from '../../support/origins/key-origin.js';
import { HOUR_MS, REFRESH, startKeysKit } from './keys-kit.js';
import { setUp } from '../../support/set-up.js';

const EVENTS = `query Events($filter: KeyEventFilter, $first: Int, $after: String) {
  keyEvents(filter: $filter, first: $first, after: $after) {
    nodes { id kind message acknowledged acknowledgement { actor reason at } serverName } totalCount
    pageInfo { hasNextPage endCursor } } }`;
const ACKNOWLEDGE = `mutation Acknowledge($serverName: String!, $throughId: ID!, $reason: String!) {
  acknowledgeKeyAlarm(serverName: $serverName, throughId: $throughId, reason: $reason) { userErrors { code } } }`;
const STEPS = `query Steps($name: String!) { server(name: $name) { lastFetch { steps { name message detail } } } }`;

interface EventNode {
  id: string;
  kind: string;
  message: string;
  acknowledged: boolean | null;
  serverName: string;
}

interface Page {
  nodes: EventNode[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

describe('key events of all servers', () => {
  const kit = setUp(startKeysKit);
  let name: string;
  let startTs: number;
  beforeAll(async () => {
    name = kit.remote.serverName;
    startTs = kit.service.clock.now();
    const { client } = kit.service.context.parts.database;
    const other = (serverName: string, hours: number, kind = 'key_added') => ({
      serverName,
      ts: BigInt(startTs - hours * HOUR_MS),
      kind,
      severity: 'info',
      keyId: 'ed25519:x',
      detail: {},
    });
    await client.keyEvent.createMany({
      data: [
        other('a.example.org', 5),
        other('b.a.example.org:8448', 4),
        other('example.org', 3, 'key_removed'),
        other('badexample.org', 2),
        other('example.org.evil', 1),
      ],
    });
  });

  const events = async (filter: object | null, page: object = {}): Promise<EventNode[]> =>
    (await kit.runner.run(EVENTS, { filter, ...page }, 'viewer')).data.keyEvents.nodes;
  const namesOf = async (filter: object) => (await events(filter)).map(({ serverName }) => serverName);
  const refresh = () => kit.runner.run(REFRESH, { serverName: name });

  it('come newest first, page by page, each once', async () => {
    const seen: string[] = [];
    for (let after: string | null = null; ;) {
      const { data } = await kit.runner.run(EVENTS, { first: 2, after });
      const { nodes, pageInfo }: Page = data.keyEvents;
      seen.push(...nodes.map(({ serverName }) => serverName));
      after = pageInfo.endCursor;
      if (!pageInfo.hasNextPage) break;
    }

    expect(seen).toEqual([
      'example.org.evil',
      'badexample.org',
      'example.org',
      'b.a.example.org:8448',
      'a.example.org',
    ]);
  });

  it('are filtered by server, with those below it or without, by kind and by time', async () => {
    expect(await namesOf({ server: 'example.org' })).toEqual(['example.org']);
    expect(await namesOf({ server: '*.example.org' })).toEqual(['b.a.example.org:8448', 'a.example.org']);
    expect(await namesOf({ server: '.example.org' })).toEqual([
      'example.org',
      'b.a.example.org:8448',
      'a.example.org',
    ]);
    expect(await namesOf({ server: '.example.org', kinds: ['KEY_REMOVED'] })).toEqual(['example.org']);
    expect(await namesOf({ kinds: ['KEY_REMOVED'] })).toEqual(['example.org']);
    expect(await namesOf({ server: 'example.org', kinds: ['KEY_ADDED'] })).toEqual([]);
    expect(await namesOf({ search: 'evil' })).toEqual(['example.org.evil']);
    const span = [startTs - 4 * HOUR_MS, startTs - 2 * HOUR_MS].map((ts) => new Date(ts).toISOString());
    expect(await namesOf({ after: span[0], before: span[1] })).toEqual([
      'example.org',
      'b.a.example.org:8448',
    ]);
    expect(await namesOf({ server: '%.example.org' })).toEqual([]);
  });

  it('tell which alarms wait, and which were acknowledged', async () => {
    await refresh();
    kit.service.clock.advance(1000);
    kit.remote.publish({ keys: [makeTestKey('k1')] });
    await refresh();
    const [alarm] = await events({ acknowledged: false });
    expect(alarm).toMatchObject({ kind: 'KEY_REPLACED', acknowledged: false, serverName: name });
    expect(await events({ acknowledged: true })).toEqual([]);
    expect((await events({ kinds: ['KEY_ADDED'] }))[0]).toMatchObject({ acknowledged: null });

    const input = { serverName: name, throughId: alarm!.id, reason: 'They reinstalled' };
    expect((await kit.runner.run(ACKNOWLEDGE, input)).data.acknowledgeKeyAlarm.userErrors).toEqual([]);
    expect(await events({ acknowledged: false })).toEqual([]);
    expect(await events({ acknowledged: true })).toMatchObject([
      {
        id: alarm!.id,
        acknowledged: true,
        acknowledgement: { actor: '@op:test', reason: 'They reinstalled', at: expect.any(String) },
      },
    ]);
  });

  it('and an answer that is no record shows how it begins and how long it is, harmlessly', async () => {
    const page = `<h1>Not\u001b[31m here</h1>\n\u202e${'x'.repeat(5000)}`;
    const lastStep = async () => (await kit.runner.run(STEPS, { name })).data.server.lastFetch.steps.at(-1);
    kit.remote.origin.respond = (_request, response) => {
      response.writeHead(404, { 'Content-Type': 'text/html' }).end(page);
    };
    await refresh();
    const refused = await lastStep();

    expect(refused).toMatchObject({
      name: 'response',
      detail: { status: 404, bytes: Buffer.byteLength(page) },
    });
    expect(refused.detail.body).toBe(`<h1>Not\\u001b[31m here</h1>\\n\\u202e${'x'.repeat(176)}`);
    expect(refused.message).toContain(`Status 404, ${Buffer.byteLength(page)} bytes`);

    kit.remote.origin.respond = respondJson(page);
    await refresh();
    expect(await lastStep()).toMatchObject({
      name: 'record',
      detail: { bytes: Buffer.byteLength(page), body: refused.detail.body },
    });
  });
});
