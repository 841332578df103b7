import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { TestService } from '../../support/service.js';
import type { OperationRunner } from '../run-operation.js';
import { startCountedKeys } from './counted-keys.js';

const NAMES = ['a.example', 'b.example', 'c.example'];
const LIST = `nodes { outcome durationMs } pageInfo { hasNextPage endCursor } totalCount`;

describe('fetches of one outcome', () => {
  let service: TestService;
  let runner: OperationRunner;

  beforeAll(async () => {
    ({ service, runner } = await startCountedKeys());
    const { client } = service.context.parts.database;
    await client.remoteServer.createMany({
      data: NAMES.map((serverName) => ({
        serverName,
        firstAskedTs: 1n,
      })),
    });
    // The two that failed are older than a page of fetches that went well.
    for (let round = 1; round <= 30; round += 1) {
      await client.keyFetch.createMany({ data: NAMES.map((serverName) => fetchRow(serverName, round)) });
    }
  });
  afterAll(() => service.remove());

  const fetchRow = (serverName: string, round: number) => ({
    serverName,
    startedTs: BigInt(round),
    durationMs: round,
    outcome: round <= 2 ? 'failed' : 'ok',
    cause: 'query',
    steps: [],
  });

  it('are found however many others came after them, page by page', async () => {
    const page = `query ($after: String) { server(name: "a.example") {
      fetches(first: 1, outcome: FAILED, after: $after) { ${LIST} } } }`;
    const first = (await runner.run(page)).data.server.fetches;
    expect(first).toMatchObject({
      nodes: [{ outcome: 'FAILED', durationMs: 2 }],
      pageInfo: { hasNextPage: true },
      totalCount: 2,
    });
    const second = (await runner.run(page, { after: first.pageInfo.endCursor })).data.server.fetches;
    expect(second).toMatchObject({
      nodes: [{ outcome: 'FAILED', durationMs: 1 }],
      pageInfo: { hasNextPage: false },
    });
  });

  it('are listed for several servers, each list with its own filter', async () => {
    const page = `{ servers(first: 100) { nodes { name
      failed: fetches(first: 5, outcome: FAILED) { ${LIST} }
      ok: fetches(first: 5, outcome: OK) { ${LIST} }
      all: fetches(first: 5) { ${LIST} } } } }`;
    const { data, errors } = await runner.run(page);

    expect(errors).toEqual([]);
    expect(data.servers.nodes).toHaveLength(NAMES.length);
    for (const { failed, ok, all } of data.servers.nodes) {
      expect(failed.nodes.map((node: { durationMs: number }) => node.durationMs)).toEqual([2, 1]);
      expect(ok.nodes).toHaveLength(5);
      expect([failed, ok, all].map(({ totalCount }) => totalCount)).toEqual([2, 28, 30]);
    }
  });
});
