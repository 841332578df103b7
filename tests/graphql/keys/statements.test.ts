import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Database } from '../../../src/core/db/db.js';
import { createKeyAdminServices } from '../../../src/key-admin-services.js';
import { testEngines } from '../../support/databases.js';
import { startTestService } from '../../support/service.js';
import type { TestService } from '../../support/service.js';
import { OperationRunner } from '../run-operation.js';

const SERVERS = 100;

describe.each(testEngines())('a page of 100 servers, on %s', (engine) => {
  let service: TestService;
  let runner: OperationRunner;
  let statements = 0;

  beforeAll(async () => {
    service = await startTestService({ engine });
    const { context } = service;
    const database = counting(context.parts.database);
    const keys = createKeyAdminServices(context.config, { ...context.parts, database }, context.keyServices);
    runner = new OperationRunner({ ...context.adminServices, database, keys });
    const names = Array.from({ length: SERVERS }, (_, index) => `server-${index}.example`);
    const { client } = context.parts.database;
    await client.remoteServer.createMany({ data: names.map(serverRow) });
    for (const round of [1, 2])
      await client.keyFetch.createMany({ data: names.map((name) => fetchRow(name, round)) });
  });
  afterAll(() => service.remove());

  /** Every call that becomes one statement or more. */
  function counting(database: Database): Database {
    const counted = (target: object): object =>
      new Proxy(target, {
        get(owner, name) {
          const member: unknown = Reflect.get(owner, name);
          if (typeof member === 'object' && member !== null) return counted(member);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]): unknown => {
            statements += 1;
            return Reflect.apply(member, owner, args) as unknown;
          };
        },
      });
    return { ...database, client: counted(database.client) as Database['client'] };
  }

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
    statements = 0;

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
    expect(statements).toBe(7);
  });
});
