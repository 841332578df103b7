import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';

import { readReferencedFiles } from '../../src/config/input/referenced-files.js';
import { NO_ORIGINS, type LoadedConfig } from '../../src/config/load-config.js';
import { parseConfig } from '../../src/config/parse-config.js';
import { AppContext } from '../../src/composition/context.js';
import { createLogger } from '../../src/core/base/logger.js';
import { Service } from '../../src/server/service.js';
import { createTestDatabase, type TestDatabase, type TestEngine } from './store/databases.js';
import { EXTRACTION } from './extraction.js';
import { ManualClock } from './manual-clock.js';
import { memoryFolder } from './memory-folder.js';

/** One parsed log line. */
export type LogLine = Record<string, unknown> & { level: string; msg?: string };

/** A running service on a free port, with its own database, key file and clock. */
export interface TestService {
  /** Base URL of the listener with keys, previews, media, health and metrics. */
  url: string;
  context: AppContext;
  clock: ManualClock;
  logs: LogLine[];
  /** Stops the service and keeps its files. */
  stop(settle?: () => Promise<void>): Promise<void>;
  /** Starts again on the same files with changed settings. */
  restart(settings?: Record<string, unknown>): Promise<TestService>;
  /** Changes what a reload reads. */
  edit(settings: Record<string, unknown>): void;
  /** Starts another instance on the same database and files, with changed settings; stop it before this one. */
  beside(settings?: Record<string, unknown>): Promise<TestService>;
  /** Stops the service and removes everything. */
  remove(): Promise<void>;
}

export interface TestServiceOptions {
  engine?: TestEngine;
  /** As many connections to PostgreSQL as by default; few when absent. */
  hasAllConnections?: boolean;
  /** Settings as in a configuration file; they replace the defaults of tests. */
  settings?: Record<string, unknown>;
  /** Authorities trusted for key fetches, PEM files. */
  caPaths?: string[];
  clock?: ManualClock;
  /** Folder of the built operators' pages; the one of this checkout when absent. */
  uiFolder?: string;
  /** Where the system says how names are resolved; the machine's own files when absent. */
  dnsFiles?: { resolvConf: string; hosts: string };
  /** Registry of oEmbed providers; the package's when absent. */
  oembedRegistryFile?: string;
}

export const OWN_NAME = 'notary.test';

/** Starts the real service over loopback; loopback is allowed for key fetches as an operator would. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const database = await createTestDatabase(options.engine ?? 'sqlite');
  const folder = await mkdtemp(join(memoryFolder(), 'vidimus-service-'));
  const place = { ...options, folder, database, clock: options.clock ?? new ManualClock() };
  return run(place).catch(async (error: unknown) => {
    await removeFiles(place);
    throw error;
  });
}

async function removeFiles({ database, folder }: RunOptions): Promise<void> {
  await database.cleanup();
  await rm(folder, { recursive: true, force: true });
}

interface RunOptions extends TestServiceOptions {
  folder: string;
  database: TestDatabase;
  clock: ManualClock;
}

async function run(options: RunOptions): Promise<TestService> {
  const { clock } = options;
  const logs: LogLine[] = [];
  const destination = new PassThrough();
  destination.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString('utf8').split('\n'))
      if (line !== '') logs.push(JSON.parse(line) as LogLine);
  });
  let edited = options.settings;
  const read = (): LoadedConfig & { ok: true } => {
    const parsed = parseConfig({ ...baseSettings(options), ...withExtraction(edited) });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    const { config } = parsed;
    const { files } = readReferencedFiles(config);
    return { ok: true, config, files, originOf: NO_ORIGINS, warnings: [] };
  };
  const { config, files } = read();
  const context = await AppContext.create(
    { config, files, read },
    {
      clock,
      logger: createLogger({ level: 'debug', destination }),
      ...(options.dnsFiles === undefined ? {} : { dnsFiles: options.dnsFiles }),
      ...(options.uiFolder === undefined ? {} : { uiFolder: options.uiFolder }),
      ...(options.oembedRegistryFile === undefined ? {} : { oembedRegistryFile: options.oembedRegistryFile }),
    },
  );
  const service = await Service.start(context);
  await context.open().catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  context.start();
  let stopped = false;
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    await service.stop();
  };
  return {
    url: service.addresses()[0]?.url ?? '',
    context,
    clock,
    logs,
    stop,
    restart: async (settings) => {
      await stop();
      return run({ ...options, settings: { ...options.settings, ...settings } });
    },
    edit: (settings) => {
      edited = { ...options.settings, ...settings };
    },
    beside: (settings) => run({ ...options, settings: { ...options.settings, ...settings } }),
    remove: async () => {
      await stop();
      await removeFiles(options);
    },
  };
}

/** The projects `standard*` run tests of previews a second time; what a test says itself comes first. */
function withExtraction(settings: Record<string, unknown> = {}): Record<string, unknown> {
  if (EXTRACTION === 'enhanced') return settings;
  const previews = typeof settings['previews'] === 'object' ? settings['previews'] : {};
  return { ...settings, previews: { extraction: EXTRACTION, ...previews } };
}

function baseSettings({ folder, database, caPaths, hasAllConnections }: RunOptions): Record<string, unknown> {
  const { options } = database;
  return {
    server_name: OWN_NAME,
    signing_key_path: join(folder, 'signing.key'),
    media_store_path: join(folder, 'media'),
    listeners: [
      {
        port: 0,
        bind_addresses: ['127.0.0.1'],
        resources: ['keys', 'previews', 'media', 'health', 'metrics'],
      },
    ],
    ip_range_whitelist: ['127.0.0.0/8', '::1/128'],
    url_preview_ip_range_whitelist: ['127.0.0.0/8', '::1/128'],
    federation_custom_ca_list: caPaths ?? [],
    database:
      options.engine === 'sqlite'
        ? { engine: 'sqlite', path: options.path, synchronous: options.synchronous }
        : {
            engine: 'postgresql',
            url: options.url,
            ...(hasAllConnections === true ? {} : { max_connections: options.maxConnections }),
          },
  };
}
