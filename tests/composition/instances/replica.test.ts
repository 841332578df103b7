import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { withCommandServices } from '../../../src/composition/services.js';
import { NO_ORIGINS } from '../../../src/config/input/setting-origins.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { openDatabase, type Database, type ReadSource } from '../../../src/core/store/db.js';
import { Replica } from '../../../src/core/store/replica.js';
import { AdminClient, startGraphqlService } from '../../support/clients/admin-client.js';
import { createToken, preview } from '../../support/clients/preview-client.js';
import { page, startRemoteSite, type RemoteSite } from '../../support/origins/remote-site.js';
import type { TestService } from '../../support/service.js';
import { testEngines } from '../../support/store/databases.js';
import { startPostgresServer, type PostgresServer } from '../../support/store/postgres-server.js';
import { until } from './two-instances.js';

const SECOND_MS = 1000;
const logger = createLogger({ level: 'silent' });

describe.runIf(testEngines().includes('postgresql'))('a service with a streaming replica', () => {
  let primary: PostgresServer;
  let replica: PostgresServer;
  let service: TestService;
  let site: RemoteSite;
  let admin: AdminClient;
  let token: string;

  beforeAll(async () => {
    primary = await startPostgresServer();
    replica = await primary.startReplica();
    site = await startRemoteSite();
    service = await startGraphqlService({
      settings: {
        database: {
          engine: 'postgresql',
          url: primary.url(),
          replica_url: replica.url(),
          replica_max_lag: '1m',
        },
      },
    });
    admin = await AdminClient.signIn(service, 'viewer');
    token = await createToken(service);
  });
  afterAll(async () => {
    await service?.remove();
    await Promise.all([replica?.remove(), primary?.remove(), site?.close()]);
  });

  const onReplica = async (sql: string): Promise<unknown> => {
    const client = new Client({ connectionString: replica.url() });
    await client.connect();
    const { rows } = await client.query<{ value: unknown }>(sql);
    await client.end();
    return rows[0]?.value;
  };
  /** Asked for is not done: what is replayed just then is replayed to its end. */
  const pause = async (): Promise<void> => {
    await onReplica('SELECT pg_wal_replay_pause()');
    await until(
      async () => (await onReplica('SELECT pg_get_wal_replay_pause_state() AS value')) === 'paused',
    );
  };
  const resume = () => onReplica('SELECT pg_wal_replay_resume()');
  const line = async () => {
    const { checks } = await service.context.services.overview.overview.health();
    return checks.find(({ key }) => key === 'replica');
  };
  /** The count is read beside the rows: the two agree only while nothing comes in. */
  const listedWithCount = async () => {
    const { previews } = await admin.data<{
      previews: { nodes: { url: string }[]; totalCount: { count: number } };
    }>('{ previews(first: 50) { nodes { url } totalCount { count } } }');
    return { urls: previews.nodes.map(({ url }) => url), count: previews.totalCount.count };
  };
  const listed = async () => (await listedWithCount()).urls;
  const make = async (path: string): Promise<string> => {
    site.pages.set(path, page(`<title>${path}</title>`));
    expect((await preview(service, token, site.url(path))).status).toBe(200);
    return site.url(path);
  };

  it('reads lists there, and says how far it is behind', async () => {
    await until(async () => (await line())?.state === 'ok');
    await pause();
    const url = await make('/later');
    const { urls, count } = await listedWithCount();
    expect(urls).not.toContain(url);
    expect(count).toBe(urls.length);
    expect((await line())?.message).toMatch(/^Lists are read from it; it is at most \d+\.\d s behind\.$/);

    await resume();

    await until(async () => (await listed()).includes(url));
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/^vidimus_database_replica_lag_seconds \d/m);
  });

  it('is no line of a command, which reads from the primary', async () => {
    const { config, files, parts } = service.context;
    const loaded = { config, files, sources: new Map(), origins: NO_ORIGINS };
    const keys = await withCommandServices(loaded, parts.database, async ({ storedChecks }) =>
      storedChecks.map(({ key }) => key),
    );
    expect(keys).toContain('store');
    expect(keys).not.toContain('replica');
  });

  it('what has been deleted is not listed, however far the replica is behind', async () => {
    const url = await make('/deleted');
    await until(async () => (await listed()).includes(url));
    await pause();

    await service.context.parts.database.client.previewCache.deleteMany({ where: { url } });
    const { previews } = await admin.data<{ previews: { nodes: { url: string }[] } }>(
      '{ previews(first: 50) { nodes { url } } }',
    );
    await resume();

    expect(previews.nodes.map((node) => node.url)).not.toContain(url);
  });

  it('reads lists from the primary while it is away, at once, and from it again when it is back', async () => {
    await replica.stop();
    const url = await make('/while-away');

    expect(await listed()).toContain(url);
    await until(async () => (await line())?.state === 'warning');
    expect((await line())?.message).toBe('It cannot be asked; lists are read from the primary.');
    await replica.start();
    await until(async () => (await line())?.state === 'ok');
  });

  describe('by a clock', () => {
    let both: Database[];
    let nowMs = 0;
    const watch = (source: Database): Replica<ReadSource> =>
      new Replica({
        primary: both[0]!,
        source,
        maxBehindMs: 5 * SECOND_MS,
        logger,
        monotonicMs: () => nowMs,
      });
    const isFromPrimary = (followed: Replica<ReadSource>): Promise<boolean> =>
      followed.read(async (source) => source.plain === both[0]!.plain);

    beforeAll(async () => {
      both = await Promise.all(
        [primary, replica].map((server) =>
          openDatabase({ engine: 'postgresql', url: server.url(), maxConnections: 2 }, logger),
        ),
      );
    });
    afterAll(() => Promise.all(both.map((database) => database.close())));

    it('beyond the bound reads go to the primary, also when nobody looks', async () => {
      const followed = watch(both[1]!);
      expect(await isFromPrimary(followed)).toBe(true);
      await until(async () => {
        await followed.look();
        return followed.state().reason === null;
      });
      nowMs += 5 * SECOND_MS;
      expect(await isFromPrimary(followed)).toBe(false);
      nowMs += 1;
      expect([await isFromPrimary(followed), followed.state().reason]).toEqual([true, 'behind']);
    });

    it('a replica that stands still is behind by as long as it has stood, whatever it says itself', async () => {
      const followed = watch(both[1]!);
      await until(async () => {
        await followed.look();
        return followed.state().reason === null;
      });
      await pause();
      await make('/while-it-stands');
      for (let looks = 0; looks < 6; looks += 1) {
        nowMs += SECOND_MS;
        await followed.look();
      }
      expect(followed.state()).toEqual({ behindMs: 6 * SECOND_MS, reason: 'behind' });

      await resume();
      await until(async () => {
        await followed.look();
        return !(await isFromPrimary(followed));
      });
    });

    it('a reader who goes, and what is being replaced there, do not make it seem away', async () => {
      const followed = watch(both[1]!);
      await until(async () => {
        await followed.look();
        return followed.state().reason === null;
      });
      const gone = followed.read(async () => AbortSignal.abort().throwIfAborted());

      await expect(gone).rejects.toThrow('aborted');
      const conflict = Object.assign(new Error('conflict with recovery'), { code: 'P2034' });
      const read = followed.read(async ({ plain }) => {
        if (plain !== both[0]!.plain) throw conflict;
        return 'primary';
      });
      expect(await read).toBe('primary');
      expect(followed.state().reason).toBeNull();
    });

    it('a server that follows no other is never read from', async () => {
      const followed = watch(both[0]!);
      await followed.look();

      expect(followed.state().reason).toBe('no_replica');
    });
  });
});
