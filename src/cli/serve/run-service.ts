import { setTimeout as delay } from 'node:timers/promises';

import { AppContext } from '../../composition/context.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import { isStoreError, storeErrorLine } from '../../core/store/store-errors.js';
import { databaseOptionsOf } from '../../composition/parts.js';
import { createLogger, type Logger } from '../../core/base/logger.js';
import type { CommandLine } from '../../core/base/text/command-line.js';
import { Service } from '../../server/service.js';
import { VERSION } from '../../config/version.js';
import type { UsableConfig } from '../configuration.js';
import { CommandError, describeError, EXIT } from '../errors.js';
import { listenError } from './listen-error.js';
import { openLogOutput } from './log-output.js';
import { ProcessGuard } from './process-guard.js';
import { onReloadSignal, reloadSettings } from './reload-settings.js';
import { StopSignals } from './stop-signals.js';

/** Something may still hold the process when all is closed, such as a migration in its own process. */
const EXIT_AFTER_MS = 5000;

/** For the requests of those who have waited for the service, before what may be done later takes some 0.2 s. */
const FIRST_REQUESTS_MS = 100;

/** It opens ports and files of its own only, and reads what others publish. */
const AS_ROOT = 'runs as root, which it never needs: give it a user of its own';

const PROXY_VARIABLE = /^(?:https?|all)_proxy$/i;
const PROXIES_UNUSED =
  'proxies named in the environment are not used; for previews set previews.proxy_url, key fetches go direct';

/** What is done once, when the service has become ready. */
export type OnReady = (context: AppContext, service: Service) => Promise<void>;

export interface RunOptions {
  /** What is done over the store before anything is served from it. */
  prepare: (context: AppContext) => Promise<void>;
  /** How commands are typed for it. */
  commandLine: CommandLine;
  onReady: OnReady;
  /** Whether to wait for a database that cannot be reached; else that ends the program. */
  retry: boolean;
}

/**
 * Runs the service until a signal ends it. Rejects with what keeps it from running: unfit key files, a taken
 * port, a database of a newer version; then nothing is left open.
 */
export async function runService(loaded: UsableConfig, options: RunOptions): Promise<void> {
  const { log } = loaded.config;
  const output = await openLogOutput();
  const databaseOptions = databaseOptionsOf(loaded);
  const logger = createLogger({
    level: log.level,
    destination: output.stream,
    explain: (error) => (isStoreError(error) ? storeErrorLine(error, databaseOptions) : null),
  });
  const signals = new StopSignals((signal) => {
    logger.warn({ signal }, 'second signal: ending at once');
    output.flush();
    process.exit(EXIT.failed);
  });
  const guard = new ProcessGuard(logger, output);
  try {
    for (const { setting, message } of loaded.warnings) logger.warn({ setting }, `${setting} ${message}`);
    await serveUntilStopped(loaded, { ...options, logger, signals, guard });
  } finally {
    guard.release();
    signals.release();
    await output.end();
    setTimeout(() => process.exit(), EXIT_AFTER_MS).unref();
  }
}

interface Running extends RunOptions {
  logger: Logger;
  signals: StopSignals;
  guard: ProcessGuard;
}

async function serveUntilStopped(loaded: UsableConfig, running: Running): Promise<void> {
  const { logger, signals, guard, commandLine } = running;
  const context = await AppContext.create(loaded, { logger, commandLine });
  guard.close = () => {
    context.lifecycle.set('draining', 'The service is ending after a failure.');
    return context.close();
  };
  const release = onReloadSignal(() => void reloadSettings(context, logger));
  const serving = new Serving(context);
  await serving.listenOrClose();
  if (process.getuid?.() === 0) logger.warn(AS_ROOT);
  const proxies = Object.keys(process.env).filter((name) => PROXY_VARIABLE.test(name));
  if (proxies.length > 0) logger.warn({ variables: proxies.toSorted() }, PROXIES_UNUSED);

  const opening = openStore(context, serving, running);
  const end = await Promise.race([signals.first, opening]);
  if (typeof end !== 'string') {
    logFatal(logger, end.reason);
    await serving.stop();
    release();
    // For scripts that try once a store that is away is a failed start like any other.
    throw isStoreError(end.reason) ? new CommandError(describeError(end.reason).message) : end.reason;
  }
  logger.info({ signal: end }, 'stopping');
  await serving.stop();
  release();
  logger.info('stopped');
}

/** What has a sentence is said by that; whatever nobody foresaw, whole. */
function logFatal(logger: Logger, reason: unknown): void {
  const isTold = reason instanceof ApiError || reason instanceof CommandError;
  logger.fatal(isTold ? { cause: describeError(reason).message } : { err: reason }, 'the service cannot run');
  if (isTold) logger.debug({ err: reason }, 'where it came from');
}

/** The listeners, from when they are open. */
class Serving {
  #service: Promise<Service> | null = null;

  constructor(private readonly context: AppContext) {}

  /** Opens them unless they are open. */
  listen(): Promise<Service> {
    this.#service ??= openListeners(this.context);
    return this.#service;
  }

  async listenOrClose(): Promise<void> {
    try {
      await this.listen();
    } catch (error) {
      await this.context.close();
      throw error;
    }
  }

  async stop(): Promise<void> {
    const service = (await this.#service?.catch(() => null)) ?? null;
    if (service === null) await this.context.close();
    else await service.stop();
  }
}

async function openListeners(context: AppContext): Promise<Service> {
  try {
    const service = await Service.start(context);
    for (const { url, resources } of service.addresses())
      context.parts.logger.info({ url, resources }, 'listening');
    return service;
  } catch (error) {
    throw listenError(error);
  }
}

/** Resolves only when the store cannot be used, however long one waits, or nothing can be listened on then. */
async function openStore(
  context: AppContext,
  serving: Serving,
  { logger, prepare, onReady, retry }: Running,
): Promise<{ reason: unknown }> {
  let service: Service;
  try {
    await context.open({ retry, prepare: () => prepare(context) });
    service = await serving.listen();
  } catch (error) {
    return { reason: error };
  }
  if (context.lifecycle.phase === 'ready') {
    logger.info({ version: VERSION, server_name: context.config.server_name }, 'ready');
    await greet(context, service, { logger, onReady });
    await delay(FIRST_REQUESTS_MS, undefined, { ref: false });
    try {
      if (isEnding(context)) return await never();
      context.start();
    } catch (reason) {
      return { reason };
    }
    await warmUp(context);
  }
  return never();
}

/** Whether the store is closed, or is about to be. */
function isEnding({ lifecycle }: AppContext): boolean {
  return lifecycle.phase === 'draining';
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** Where previews are served the first of them finds everything loaded. */
async function warmUp(context: AppContext): Promise<void> {
  const { config, parts } = context;
  const isServed = config.listeners.some(({ resources }) => resources.includes('previews'));
  if (!config.url_preview_enabled || !isServed) return;
  await context.services.pipeline.warmUp().catch((error: unknown) => {
    parts.logger.debug({ err: error }, 'not everything could be loaded before the first preview');
  });
}

async function greet(
  context: AppContext,
  service: Service,
  { logger, onReady }: Pick<Running, 'logger' | 'onReady'>,
): Promise<void> {
  await onReady(context, service).catch((error: unknown) => {
    logger.warn({ err: error }, 'the welcome could not be shown');
  });
}
