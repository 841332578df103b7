import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createKeyAdminServices } from '../../../src/key-admin-services.js';
import { testEngines } from '../../support/databases.js';
import { startTestService } from '../../support/service.js';
import type { TestService } from '../../support/service.js';
import { countingDatabase } from '../count-statements.js';
import { OperationRunner } from '../run-operation.js';

const SERVERS = 100;

describe.each(testEngines())('a page of 100 servers, on %s', (engine) => {
  let service: TestService;
  let runner: OperationRunner;
  let statements: () => number;

  beforeAll(async () => {
    service = await startTestService({ engine });
    const { context } = service;
    const counting = countingDatabase(context.parts.database);
    ({ statements } = counting);
    const { database } = counting;
    const keys = createKeyAdminServices(context.config, { ...context.parts, database }, context.keyServices);
    runner = new OperationRunner({ ...context.adminServices, database, keys });
    const names = Array.from({ length: SERVERS }, (_, index) => `server-${index}.example`);
    const { client } = context.parts.database;
    await client.remoteServer.createMany({ data: names.map(serverRow) });
    for (const round of [1, 2])
      await client.keyFetch.createMany({ data: names.map((name) => fetchRow(name, round)) });
  });
  afterAll(() => service.remove());

  const serverRow = (serverName: string) => ({
    serverName,
    firstAskedTs: 1n,
    throttleTokens: 0,
    throttleTokensTs: 0n,
  });
  const fetchRow = (serverName: string, round: number) => ({
    serverName,
    startedTs: BigInt(round),
    durationMs: round,
    outcome: 'ok',
    cause: 'query',
    steps: [{ name: 'record', status: 'ok', ms: 1, sentence: `round ${round}` }],
  });

  it('with the last fetch of each, its steps and its server takes seven statements', async () => {
    const before = statements();

    const { data, errors } = await runner.run(
      `{ servers(first: 100) { totalCount { count exact } nodes {
        name federationAllowed lastFetch { durationMs server { name } steps { message } } } } }`,
    );

    expect(errors).toEqual([]);
    expect(data.servers.nodes).toHaveLength(SERVERS);
    expect(data.servers.totalCount).toEqual({ count: SERVERS, exact: true });
    for (const { name, lastFetch } of data.servers.nodes) {
      expect(lastFetch).toEqual({ durationMs: 2, server: { name }, steps: [{ message: 'round 2' }] });
    }
    // Keys of the page, their rows, the count; numbers of the fetches, their rows, their steps; their servers.
    expect(statements() - before).toBe(7);
  });
});
