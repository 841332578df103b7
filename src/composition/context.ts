import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { NO_ORIGINS } from '../config/load-config.js';
import { RunningSettings } from '../config/running-settings.js';
import type { Config } from '../config/schema.js';
import { SECOND_MS } from '../core/base/clock.js';
import { notReady } from '../core/base/errors/api-error.js';
import { Lifecycle } from '../core/base/lifecycle.js';
import { LogQueue } from '../core/notary/log/log-store.js';
import { openDatabase } from '../core/store/db.js';
import { migrate, withDatabaseLock } from '../core/store/migrate.js';
import { builtFolder } from '../core/store/migration-files.js';
import { ServerLock } from '../core/store/sqlite/server-lock.js';
import {
  isStoreDamaged,
  isStoreError,
  storeAway,
  storeErrorLine,
  storeStateOf,
} from '../core/store/store-errors.js';
import { StoreMonitor } from '../core/store/store-monitor.js';
import { createAccess, type Access } from './access.js';
import { createFetchParts, type ContextOverrides, type LoadedSettings, type ServerParts } from './parts.js';
import { openServices, type Services } from './services.js';
import { databaseOptionsOf, readKeyFiles, refuseErrors } from './start/start-checks.js';

/** Only this server uses its SQLite file, so it is checked less often; a readiness request checks it at once. */
const STORE_LOOK_INTERVAL_MS = { sqlite: 15 * SECOND_MS, postgresql: 5 * SECOND_MS };
const STORE_FRESH_MS = 1000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 15_000;

/**
 * The composition root: builds everything once from the configuration, and undoes it in reverse.
 * Nothing below knows `Config`; here setting names become constructor arguments.
 */
export class AppContext {
  readonly lifecycle = new Lifecycle();
  readonly monitor: StoreMonitor;
  readonly access: Access;
  readonly settings: RunningSettings;
  #opened: Services | null = null;
  readonly #closing = new AbortController();

  private constructor(
    readonly loaded: LoadedSettings,
    readonly parts: ServerParts,
  ) {
    const { config, files, originOf = NO_ORIGINS, read } = loaded;
    const { clock, logger } = parts;
    const initial = { config, originOf };
    this.access = createAccess(parts);
    this.settings = new RunningSettings({
      initial,
      read: () => read?.() ?? { ...initial, files, ok: true, warnings: [] },
      apply: (settings) => {
        logger.level = settings.config.log.level;
        this.#opened?.features.apply(settings);
      },
      clock,
      logger,
    });
    this.monitor = new StoreMonitor({
      ...parts,
      lifecycle: this.lifecycle,
      intervalMs: STORE_LOOK_INTERVAL_MS[parts.database.engine],
      freshMs: STORE_FRESH_MS,
    });
  }

  /** Builds what needs no store: keys, logger, clients. Rejects with a sentence when a key file is unfit. */
  static async create(loaded: LoadedSettings, overrides: ContextOverrides = {}): Promise<AppContext> {
    const parts = createFetchParts(loaded, overrides);
    const { config, clock, logger } = parts;
    const databaseOptions = databaseOptionsOf(loaded);
    // First: when the memory of Prisma's compiler grows, V8 discards what it has compiled of tweetnacl.
    const database = await openDatabase(databaseOptions, logger);
    const { keys: signingKeys, problems } = await readKeyFiles(config);
    refuseErrors(problems, logger);
    return new AppContext(loaded, {
      ...parts,
      signingKeys,
      databaseOptions,
      database,
      place: new ServerLock(databaseOptions, clock),
      logQueue: config.log.enabled ? new LogQueue(clock) : null,
      uiFolder: overrides.uiFolder ?? join(builtFolder(), 'web-admin'),
      oembedRegistryFile: overrides.oembedRegistryFile ?? null,
      program: overrides.program ?? 'vidimus',
    });
  }

  /** The configuration at the start; `settings` tells what is in effect since. */
  get config(): Config {
    return this.loaded.config;
  }

  /** All that needs the store. Throws 503 until that has been opened. */
  get services(): Services {
    if (this.#opened === null) throw notReady();
    return this.#opened;
  }

  /**
   * Migrates the store and builds what needs it. Unless told not to, it tries again for as long as the store cannot be
   * reached; rejects for errors that waiting does not mend, such as a database of a newer version. `prepare` runs over
   * the migrated store before anything is served from it.
   */
  async open({ retry = true, prepare }: { retry?: boolean; prepare?: () => Promise<void> } = {}) {
    const { logger, databaseOptions } = this.parts;
    const { signal } = this.#closing;
    for (let retryMs = FIRST_RETRY_MS; !signal.aborted; retryMs = Math.min(LONGEST_RETRY_MS, 2 * retryMs)) {
      try {
        await this.#openOnce(prepare);
        return;
      } catch (error) {
        if (!isStoreError(error)) throw error;
        if (!retry || isStoreDamaged(error)) throw storeAway(error, databaseOptions);
        const state = storeStateOf(error);
        const cause = storeErrorLine(error, databaseOptions);
        logger.error({ retry_ms: retryMs, cause }, `the database ${state}`);
        logger.debug({ err: error }, 'error of the database driver');
        const reason = `The database ${state}; next try in ${retryMs / 1000} s.`;
        this.lifecycle.set('store_unreachable', reason, error);
        await sleep(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #openOnce(prepare?: () => Promise<void>): Promise<void> {
    const { parts } = this;
    const { logger, databaseOptions, place } = parts;
    await place.take();
    await migrate(databaseOptions, logger);
    await prepare?.();
    const build = () => openServices(parts, this);
    // Of several first starts at once one makes the keys; the others find them.
    const opened =
      databaseOptions.engine === 'sqlite' ? await build() : await withDatabaseLock(databaseOptions, build);
    if (this.#closing.signal.aborted) {
      await opened.features.close();
      return;
    }
    this.#opened = opened;
    this.lifecycle.set('ready');
    this.monitor.start();
  }

  /** Begins jobs, and what else goes on by itself, over the open store; requests are answered without it. */
  start(): void {
    if (!this.#closing.signal.aborted) this.#opened?.features.start();
  }

  /** Ends jobs and fetches, stores what is under way, and closes the store. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.monitor.stop();
    await this.#opened?.features.close();
    this.parts.resolver.close();
    await this.parts.database.close();
    this.parts.place.release();
  }
}
