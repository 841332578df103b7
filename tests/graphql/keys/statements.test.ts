import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { TestService } from '../../support/service.js';
import type { OperationRunner } from '../run-operation.js';
import { startCountedKeys } from './counted-keys.js';

const SERVERS = 100;

describe('a page of 100 servers', () => {
  let service: TestService;
  let runner: OperationRunner;
  let statements: () => number;

  beforeAll(async () => {
    ({ service, runner, statements } = await startCountedKeys());
    const names = Array.from({ length: SERVERS }, (_, index) => `server-${index}.example`);
    const { client } = service.context.parts.database;
    await client.remoteServer.createMany({ data: names.map(serverRow) });
    for (const round of [1, 2])
      await client.keyFetch.createMany({ data: names.map((name) => fetchRow(name, round)) });
  });
  afterAll(() => service.remove());

  const serverRow = (serverName: string) => ({
    serverName,
    firstAskedTs: 1n,
  });
  const fetchRow = (serverName: string, round: number) => ({
    serverName,
    startedTs: BigInt(round),
    durationMs: round,
    outcome: 'ok',
    cause: 'query',
    steps: [{ name: 'record', status: 'ok', ms: 1, sentence: `round ${round}` }],
  });

  it('with the last fetch of each, and its steps takes six statements', async () => {
    const before = statements();

    const { data, errors } = await runner.run(
      `{ servers(first: 100) { totalCount nodes {
        name federationAllowed lastFetch { durationMs steps { message } } } } }`,
    );

    expect(errors).toEqual([]);
    expect(data.servers.nodes).toHaveLength(SERVERS);
    expect(data.servers.totalCount).toBe(SERVERS);
    for (const { lastFetch } of data.servers.nodes) {
      expect(lastFetch).toEqual({ durationMs: 2, steps: [{ message: 'round 2' }] });
    }
    // Keys of the page, their rows, the count; numbers of the fetches, their rows, their steps.
    expect(statements() - before).toBe(6);
  });

  it('with the first fetches of each and their number; cursors go on', async () => {
    const list = `nodes { durationMs }`;
    const { data, errors } = await runner.run(
      `{ servers(first: 100) { nodes { name
        fetches(first: 1) { ${list} pageInfo { hasNextPage endCursor } totalCount }
        all: fetches(first: 5) { nodes { durationMs } pageInfo { hasNextPage } } } } }`,
    );
    expect(errors).toEqual([]);
    for (const { fetches, all } of data.servers.nodes) {
      expect(fetches).toMatchObject({
        nodes: [{ durationMs: 2 }],
        pageInfo: { hasNextPage: true },
        totalCount: 2,
      });
      expect(all).toEqual({
        nodes: [{ durationMs: 2 }, { durationMs: 1 }],
        pageInfo: { hasNextPage: false },
      });
    }

    const [{ name, fetches }] = data.servers.nodes;
    const next = await runner.run(
      `query ($name: String!, $after: String) { server(name: $name) { fetches(first: 1, after: $after) { ${list} } } }`,
      { name, after: fetches.pageInfo.endCursor },
    );
    expect(next.data.server.fetches.nodes).toEqual([{ durationMs: 1 }]);
  });
});
