import { join } from 'node:path';

import type { ReferencedFiles } from '../config/input/referenced-files.js';
import type { SettingOrigins } from '../config/input/setting-origins.js';
import type { LoadedConfig, Source } from '../config/load-config.js';
import type { RunningSettings } from '../config/running-settings.js';
import type { Config } from '../config/schema.js';
import type { SourcedConfig } from '../config/setting-view.js';
import { systemClock } from '../core/base/clock.js';
import type { Clock } from '../core/base/clock.js';
import { AccessTokenStore } from '../core/access/users/access-token-store.js';
import { Authenticator } from '../core/access/users/authenticator.js';
import { HomeserverClient } from '../core/access/users/homeserver-client.js';
import { openDatabase } from '../core/store/db.js';
import type { Database, DatabaseOptions } from '../core/store/db.js';
import { migrate } from '../core/store/migrate.js';
import { packageRoot } from '../core/store/migration/files.js';
import { isStoreFull, isStoreTrouble } from '../core/store/store-errors.js';
import type { Dialect } from '../core/base/dialect.js';
import { notReady } from '../core/base/errors/errors.js';
import type { AddressPolicy } from '../core/net/address/address-policy.js';
import { Lifecycle } from '../core/base/lifecycle.js';
import { createLogger } from '../core/base/logger.js';
import type { Logger } from '../core/base/logger.js';
import { createMetrics } from '../core/base/metrics.js';
import type { Metrics } from '../core/base/metrics.js';
import { StoreMonitor } from '../core/store/store-monitor.js';
import { createAdminAccess } from './admin-access.js';
import type { AdminAccess } from './admin-access.js';
import { createAdminServices } from './admin-services.js';
import type { AdminServices } from './admin-services.js';
import { createBlockingServices } from './blocking-services.js';
import type { BlockingServices } from './blocking-services.js';
import type { JobRegistry } from '../core/job-runner/job-registry.js';
import { createJobRegistry, createJobServices } from './job-services.js';
import type { JobServices } from './job-services.js';
import { databaseOptionsOf } from './database-options.js';
import { createFetchParts } from './key-fetch-services.js';
import { createKeyServices, loadOwnSigningKeys } from './key-services.js';
import type { KeyServices, OwnSigningKeys } from './key-services.js';
import { applyLiveSettings, createRunningSettings } from './live-settings.js';
import { createOverviewServices } from './overview-services.js';
import type { OverviewServices } from './overview-services.js';
import type { NameParts, SystemFilePaths } from './name-services.js';
import { createPreviewServices } from './preview-services.js';
import type { PreviewServices } from './preview-services.js';
import { VERSION } from '../config/version.js';

/** A loaded configuration: the settings, and the contents of the files they name. */
export interface LoadedSettings {
  config: Config;
  files: ReferencedFiles;
  /** Where values come from; absent: nothing is known of that. */
  sources?: ReadonlyMap<string, Source>;
  origins?: SettingOrigins;
  /** Reads the configuration again, as it was read for this; absent: it stays as it is. */
  read?: () => LoadedConfig;
}

/** What tests replace; everything else is built from the configuration. */
export interface ContextOverrides {
  clock?: Clock;
  logger?: Logger;
  /** Folder of the built operators' pages. */
  uiFolder?: string;
  /** Files in which the system says how names are resolved. */
  dnsFiles?: SystemFilePaths;
  /** The public registry of oEmbed providers. */
  oembedRegistryFile?: string;
}

const STORE_LOOK_INTERVAL_MS = 5000;
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
  readonly accessTokens: AccessTokenStore;
  readonly authenticator: Authenticator;
  readonly adminAccess: AdminAccess;
  readonly settings: RunningSettings;
  #keyServices: KeyServices | null = null;
  #previewServices: PreviewServices | null = null;
  #jobServices: (JobServices & { registry: JobRegistry }) | null = null;
  #overviewServices: OverviewServices | null = null;
  #blocking: BlockingServices | null = null;
  #adminServices: AdminServices | null = null;
  #closing = false;
  #wakeRetry: (() => void) | null = null;

  private constructor(
    private readonly loaded: LoadedSettings,
    readonly parts: ContextParts,
  ) {
    const { config } = loaded;
    const { database, logger, clock } = parts;
    this.accessTokens = new AccessTokenStore(database, clock, logger);
    // Tokens of users go nowhere unless this server stands beside a homeserver.
    const homeserverUrl = config.dialect === 'matrix' ? config.auth.homeserver_url : null;
    const homeserver = homeserverUrl === null ? null : new HomeserverClient(homeserverUrl, clock);
    this.authenticator = new Authenticator(this.accessTokens, homeserver, clock);
    this.adminAccess = createAdminAccess(config, parts, { tokens: this.accessTokens, homeserver });
    this.settings = createRunningSettings(loaded, {
      apply: (settings) => this.#applySettings(settings, logger),
      logger,
    });
    this.monitor = new StoreMonitor({
      database,
      logger,
      lifecycle: this.lifecycle,
      intervalMs: STORE_LOOK_INTERVAL_MS,
      freshMs: STORE_FRESH_MS,
    });
  }

  /** Builds what needs no store: keys, logger, clients. Rejects with a sentence when a key file is unfit. */
  static async create(loaded: LoadedSettings, overrides: ContextOverrides = {}): Promise<AppContext> {
    const { config } = loaded;
    const clock = overrides.clock ?? systemClock;
    const logger = overrides.logger ?? createLogger({ level: config.log.level });
    const metrics = createMetrics(VERSION);
    const signingKeys = await loadOwnSigningKeys(config, logger);
    const databaseOptions = databaseOptionsOf(loaded);
    return new AppContext(loaded, {
      ...createFetchParts(loaded, { clock, logger, metrics, files: overrides.dnsFiles }),
      metrics,
      signingKeys,
      databaseOptions,
      database: await openDatabase(databaseOptions, logger),
      uiFolder: overrides.uiFolder ?? join(packageRoot(), 'dist', 'web-admin'),
      oembedRegistryFile: overrides.oembedRegistryFile ?? null,
    });
  }

  /** The configuration at the start; `settings` tells what is in effect since. */
  get config(): Config {
    return this.loaded.config;
  }

  /** Contents of the files it names. */
  get files(): ReferencedFiles {
    return this.loaded.files;
  }

  /** The notary and what belongs to it. Throws 503 until the store has been opened. */
  get keyServices(): KeyServices {
    if (this.#keyServices === null) throw notReady();
    return this.#keyServices;
  }

  /** The previewer and what belongs to it. Throws 503 until the store has been opened. */
  get previewServices(): PreviewServices {
    if (this.#previewServices === null) throw notReady();
    return this.#previewServices;
  }

  /** What the operators' side uses. Throws 503 until the store has been opened. */
  get adminServices(): AdminServices {
    if (this.#adminServices === null) throw notReady();
    return this.#adminServices;
  }

  /** What the first page of operators shows. Throws 503 until the store has been opened. */
  get overviewServices(): OverviewServices {
    if (this.#overviewServices === null) throw notReady();
    return this.#overviewServices;
  }

  /** What runs jobs, and all jobs. Throws 503 until the store has been opened. */
  get jobServices(): JobServices & { registry: JobRegistry } {
    if (this.#jobServices === null) throw notReady();
    return this.#jobServices;
  }

  /** What operators see of everything that refuses something. Throws 503 until the store has been opened. */
  get blocking(): BlockingServices {
    if (this.#blocking === null) throw notReady();
    return this.#blocking;
  }

  /**
   * Migrates the store and starts what needs it. Tries again for as long as the store cannot be reached;
   * rejects for faults that waiting does not mend, such as a database of a newer version.
   */
  async open({ retry = true }: { retry?: boolean } = {}): Promise<void> {
    const { logger } = this.parts;
    for (let retryMs = FIRST_RETRY_MS; !this.#closing; retryMs = Math.min(LONGEST_RETRY_MS, 2 * retryMs)) {
      try {
        await migrate(this.parts.databaseOptions, logger);
        await this.#openServices();
        this.#adminServices = createAdminServices(this.config, {
          ...this.parts,
          keyServices: this.keyServices,
          previewServices: this.previewServices,
          overviewServices: this.overviewServices,
          jobServices: this.jobServices,
          blocking: this.blocking,
          settings: this.settings,
          access: this.adminAccess,
        });
        this.lifecycle.set('ready');
        this.keyServices.start();
        this.previewServices.start();
        this.overviewServices.start();
        this.monitor.start();
        return;
      } catch (error) {
        if (!retry || !isStoreTrouble(error)) throw error;
        const trouble = isStoreFull(error) ? 'has no room on its disk' : 'cannot be reached';
        const reason = `The database ${trouble}; next try in ${retryMs / 1000} s.`;
        // The trouble is told in full once; the same stack at every try would bury other lines.
        const err = retryMs === FIRST_RETRY_MS ? { err: error } : {};
        logger.error({ ...err, retry_ms: retryMs }, `the database ${trouble}`);
        this.lifecycle.set('store_unreachable', reason, error);
        await this.#pause(retryMs);
      }
    }
  }

  async #openServices(): Promise<void> {
    const jobs = await createJobServices(this.config, this.parts);
    this.#keyServices = await createKeyServices(this.config, this.parts, jobs);
    this.#previewServices = await createPreviewServices(this.config, this.parts, jobs);
    this.#overviewServices = createOverviewServices(this.config, this.parts, {
      keys: this.#keyServices,
      previews: this.#previewServices,
      jobs,
    });
    const scheduled = [...this.#previewServices.jobs, ...this.#keyServices.jobs];
    const registry = createJobRegistry(jobs, [
      ...scheduled.map(({ definition }) => definition),
      ...this.#overviewServices.definitions,
    ]);
    this.#jobServices = { ...jobs, registry };
    const { running } = this.settings;
    const { gatekeepers } = this.#previewServices;
    this.#blocking = createBlockingServices(running, gatekeepers, this.parts.database);
    // The configuration may have been reloaded while the store was away.
    this.#applySettings(running, null);
  }

  #applySettings(settings: SourcedConfig, logger: Logger | null): void {
    applyLiveSettings(settings, {
      logger,
      policy: this.parts.policy,
      keys: this.#keyServices,
      previews: this.#previewServices,
      blocking: this.#blocking,
    });
  }

  /** Ends jobs and fetches, stores what is under way, and closes the store. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#wakeRetry?.();
    await this.monitor.stop();
    await this.#jobServices?.runner.close();
    await this.#adminServices?.close();
    await this.#overviewServices?.close();
    await this.#previewServices?.close();
    await this.#keyServices?.close();
    this.parts.lookups.close();
    await this.parts.database.close();
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wakeRetry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wakeRetry = null;
  }
}

/** Everything that is built before the store is opened. */
export interface ContextParts extends NameParts {
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  dialect: Dialect;
  signingKeys: OwnSigningKeys;
  policy: AddressPolicy;
  /** Trusted authorities for key fetches; `null`: the well-known ones. */
  ca: readonly string[] | null;
  databaseOptions: DatabaseOptions;
  database: Database;
  /** Folder of the built operators' pages; need not be there. */
  uiFolder: string;
  /** `null`: that of the package `oembed-providers`. */
  oembedRegistryFile: string | null;
}
