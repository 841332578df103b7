import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { S3Client } from '../../src/core/net/object-storage/s3-client.js';

import { expect } from 'vitest';

import { AccessTokenStore } from '../../src/core/access/users/access-token-store.js';
import { systemClock } from '../../src/core/base/clock.js';
import { createLogger } from '../../src/core/base/logger.js';
import { openDatabase, type Database, type DatabaseOptions } from '../../src/core/store/db.js';
import { startVidimus, temporaryFolder, writeConfig, type Running } from '../cli/vidimus.js';
import { listenOnFreshPort } from '../support/fresh-port.js';
import { startNginxFor } from '../support/proxies/nginx-for-instances.js';
import type { RunningProxy } from '../support/proxies/running-proxy.js';
import { createClient, startObjectStore, type ObjectStore } from '../support/s3/object-store.js';
import { OWN_NAME } from '../support/service.js';
import { startPostgresServer, type PostgresServer } from '../support/store/postgres-server.js';

/** A process of the program on a port that stays its own. */
export interface Instance {
  name: string;
  url: string;
  running: Running;
}

/** Three instances on one PostgreSQL and one object store, behind nginx. */
export interface ThreeInstances {
  postgres: PostgresServer;
  objects: ObjectStore;
  proxy: RunningProxy;
  instances: Instance[];
  databaseOptions: DatabaseOptions;
  /** To look at the bucket `media`. */
  bucket: S3Client;
  /** What they have in common. */
  settings: Record<string, unknown>;
  token: string;
  /** Stops all in order, with what they still have to do. */
  stop(): Promise<void>;
  /** Starts one again that has ended. */
  startAgain(instance: Instance): Promise<void>;
  remove(): Promise<void>;
}

const NAMES = ['first', 'second', 'third'];
const RESOURCES = ['keys', 'previews', 'media', 'health', 'metrics'];

/** `more`: settings beside those that bring them together. */
export async function startThreeInstances(more: Record<string, unknown>): Promise<ThreeInstances> {
  const folder = await temporaryFolder();
  const [postgres, objects] = await Promise.all([startPostgresServer(), startObjectStore()]);
  const settings = {
    signing_key_path: join(folder.path, 'signing.key'),
    database: { engine: 'postgresql', url: postgres.url(), max_connections: 8 },
    media: { storage: 's3', s3: await objects.makeBucket('media') },
    ...more,
  };
  const start = async (name: string, port: number): Promise<Instance> => {
    const cwd = join(folder.path, name);
    await mkdir(cwd, { recursive: true });
    const listeners = [{ port, x_forwarded: true, resources: RESOURCES }];
    await writeConfig(cwd, { ...settings, listeners, jobs: { instance: name } });
    const running = startVidimus(['serve', '-c', 'config.yaml'], { cwd });
    await running.log('ready');
    return { name, url: await running.url('previews'), running };
  };
  const ports = await Promise.all(NAMES.map(freePort));
  const instances = await Promise.all(NAMES.map((name, at) => start(name, ports[at] ?? 0)));
  const proxy = await startNginxFor(OWN_NAME, ports);
  const bucket = createClient(objects.url);
  return {
    postgres,
    objects,
    proxy,
    instances,
    databaseOptions: { engine: 'postgresql', url: postgres.url(), maxConnections: 2 },
    bucket,
    settings,
    token: await withDatabase(postgres, prepare),
    startAgain: async (instance) => {
      Object.assign(instance, await start(instance.name, Number(new URL(instance.url).port)));
    },
    stop: async () => {
      for (const { running } of instances) running.child.kill('SIGTERM');
      for (const { running } of instances) expect((await running.finished).code).toBe(0);
    },
    remove: async () => {
      bucket.close();
      await proxy.stop();
      for (const { running } of instances) running.child.kill('SIGKILL');
      await Promise.all(instances.map(({ running }) => running.finished));
      await Promise.all([postgres.remove(), objects.remove()]);
      await folder.remove();
    },
  };
}

/** Work on their database from outside. */
export async function withDatabase<Result>(
  postgres: PostgresServer,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const options = { engine: 'postgresql', url: postgres.url(), maxConnections: 2 } as const;
  const database = await openDatabase(options, createLogger({ level: 'silent' }));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Resolves when all of them can work. */
export async function untilReady(instances: readonly Instance[]): Promise<void> {
  for (const { url } of instances) {
    while (!(await fetch(`${url}/health/ready`)).ok) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Resolves to a token for the load. Origins, which count requests, are asked for no time meanwhile. */
async function prepare(database: Database): Promise<string> {
  const tokens = new AccessTokenStore(database, systemClock);
  return (await tokens.create({ userId: '@a:notary.test', label: 'load', expiresTs: null })).token;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnFreshPort(server, '127.0.0.1');
  server.close();
  await once(server, 'close');
  return port;
}
