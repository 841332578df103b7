import { basename, dirname, join, resolve } from 'node:path';

import { AppContext } from '../../composition/context.js';
import { databaseOptionsOf } from '../../composition/start/start-checks.js';
import { VERSION } from '../../config/version.js';
import { ApiError, errorCode } from '../../core/base/errors/api-error.js';
import { createLogger, openLogOutput, type Logger } from '../../core/base/logger.js';
import { printable } from '../../core/base/text/strings.js';
import { isStoreError, storeErrorLine } from '../../core/store/store-errors.js';
import { Service } from '../../server/service.js';
import type { UsableConfig } from '../configuration.js';
import { CommandError, describeError } from '../terminal.js';
import { recordCommand } from '../open-database.js';
import { ProcessEnd } from './process-end.js';
import { endTrial, inviteFirstAdmin, showWelcome } from './welcome.js';

/** Something may still hold the process when all is closed, such as a migration in its own process. */
const EXIT_AFTER_MS = 5000;

export interface RunOptions {
  isTrial: boolean;
  config: string | null;
  retry: boolean;
}

/**
 * Runs the service until a signal ends it. Rejects with what keeps it from running: unfit key files, a taken
 * port, a database of a newer version; then nothing is left open.
 */
export async function runService(loaded: UsableConfig, options: RunOptions): Promise<void> {
  const output = openLogOutput(process.stdout.isTTY ? readableLine : null);
  const databaseOptions = databaseOptionsOf(loaded);
  const logger = createLogger({
    level: loaded.config.log.level,
    destination: output.stream,
    explain: (error) => (isStoreError(error) ? storeErrorLine(error, databaseOptions) : null),
  });
  const end = new ProcessEnd(logger, output);
  try {
    for (const { setting, message } of loaded.warnings) logger.warn({ setting }, `${setting} ${message}`);
    const context = await AppContext.create(loaded, { logger, program: programFor(options.config) });
    end.close = () => {
      context.lifecycle.set('draining', 'The service is ending after a failure.');
      return context.close();
    };
    await serveUntilStopped(context, end, options);
  } finally {
    end.release();
    await output.end();
    setTimeout(() => process.exit(), EXIT_AFTER_MS).unref();
  }
}

const COLOURS: Readonly<Record<string, number>> = { debug: 34, info: 32, warn: 33, error: 31, fatal: 31 };

/** A line of the log for a terminal: time, level, message and what else there is; stacks on lines of their own. */
function readableLine(line: string): string {
  const { time, level, msg, err, ...more }: LogLine = JSON.parse(line);
  const { stack = '', ...error } = err ?? {};
  const rest = { ...more, ...(err && { err: error }) };
  const clock = `${new Date(time).toTimeString().slice(0, 8)}${time.slice(19, 23)}`;
  const label = level.toUpperCase();
  const shown = process.stdout.hasColors() ? `\u001B[${COLOURS[level] ?? 90}m${label}\u001B[39m` : label;
  const details = Object.keys(rest).length === 0 ? '' : JSON.stringify(rest);
  const lines = [`${msg ?? ''} ${details}`.trim(), ...stack.split('\n').filter(Boolean)].map(printable);
  return `[${clock}] ${shown}: ${lines.join('\n    ')}\n`;
}

interface LogLine {
  time: string;
  level: string;
  msg?: string;
  err?: { stack?: string };
}

async function serveUntilStopped(context: AppContext, end: ProcessEnd, options: RunOptions): Promise<void> {
  const { logger } = context.parts;
  const service = await Service.start(context).catch(async (error: unknown) => {
    await context.close();
    throw listenError(error);
  });
  for (const { url, resources } of service.addresses()) logger.info({ url, resources }, 'listening');
  warnOfSurroundings(logger);
  const reload = (): void => void reloadSettings(context);
  // At a terminal HUP means that it has been closed.
  if (!process.stdin.isTTY) process.on('SIGHUP', reload);
  try {
    const failure = openStore(context, service, options).then(
      () => new Promise<never>(() => undefined),
      (reason: unknown) => ({ reason }),
    );
    const ended = await Promise.race([end.requested, failure]);
    if (typeof ended === 'string') logger.info({ signal: ended }, 'stopping');
    else logFatal(logger, ended.reason);
    await service.stop();
    if (typeof ended === 'string') logger.info('stopped');
    // For scripts that try once a store that is away is a failed start like any other.
    else
      throw isStoreError(ended.reason) ? new CommandError(describeError(ended.reason).message) : ended.reason;
  } finally {
    process.off('SIGHUP', reload);
  }
}

/** Rejects only when the store cannot be used, however long one waits. */
async function openStore(context: AppContext, service: Service, options: RunOptions): Promise<void> {
  const { config, lifecycle, parts } = context;
  const { logger } = parts;
  // The tokens of a trial may have been shown around.
  await context.open({ retry: options.retry, prepare: () => endTrial(context) });
  const isReady = (): boolean => lifecycle.phase === 'ready';
  if (!isReady()) return;
  logger.info({ version: VERSION, server_name: config.server_name }, 'ready');
  await (options.isTrial ? showWelcome : inviteFirstAdmin)(context, service).catch((error: unknown) => {
    logger.warn({ err: error }, 'could not show the welcome message');
  });
  // A signal may have come meanwhile.
  if (!isReady()) return;
  context.start();
  const isServed = config.listeners.some(({ resources }) => resources.includes('previews'));
  if (!config.url_preview_enabled || !isServed) return;
  await context.services.pipeline.warmUp().catch((error: unknown) => {
    logger.debug({ err: error }, 'could not preload everything for the first preview');
  });
}

/** Reads the configuration again, like the mutation of the same name. While the store is away only the log says so. */
async function reloadSettings(context: AppContext): Promise<void> {
  const { errors, changed } = context.settings.reload({ dryRun: false });
  const [failure] = errors;
  try {
    await recordCommand(context.access, {
      action: 'reloadSettings',
      targetType: 'Settings',
      summary: 'Reload the configuration (signal HUP)',
      outcome: failure === undefined ? 'ok' : 'failed',
      detail: { changes: changed, failure },
    });
  } catch (error) {
    context.parts.logger.warn({ err: error }, 'could not record the reload in the audit log');
  }
}

function warnOfSurroundings(logger: Logger): void {
  if (process.getuid?.() === 0) logger.warn('running as root, which is never needed: use a user of its own');
  const proxies = Object.keys(process.env).filter((name) => /^(?:https?|all)_proxy$/i.test(name));
  if (proxies.length === 0) return;
  const advice = 'for previews set previews.proxy_url, key fetches go direct';
  logger.warn({ variables: proxies.toSorted() }, `proxies named in the environment are not used; ${advice}`);
}

/** Errors with a sentence of their own need no stack. */
function logFatal(logger: Logger, reason: unknown): void {
  const isKnown = reason instanceof ApiError || reason instanceof CommandError;
  logger.fatal(
    isKnown ? { cause: describeError(reason).message } : { err: reason },
    'the service cannot run',
  );
  if (isKnown) logger.debug({ err: reason }, 'stack of the error');
}

const LISTEN_ADVICE: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'another program uses it. Stop that program, or choose another port'],
  ['EACCES', 'this user lacks the permission. Grant it, or choose a port above 1023'],
  ['EADDRNOTAVAIL', 'this machine has no such address. Correct bind_addresses'],
]);

/** Says in a sentence why a listener could not be opened; other errors pass through. */
function listenError(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const { address = 'the address', port = '?' }: Error & { address?: string; port?: number | string } = error;
  const why = LISTEN_ADVICE.get(errorCode(error)) ?? error.message;
  return new CommandError(
    `Cannot listen on ${address} port ${port}: ${why} under "listeners" in the configuration.`,
  );
}

/** How commands are typed for this process from any folder: by its name where it is installed, else by its path. */
function programFor(config: string | null): string {
  const script = process.argv[1] ?? '';
  const isStart = basename(script) === 'start.mjs';
  const file = isStart ? join(dirname(dirname(script)), 'bin', 'vidimus.js') : script;
  const isInstalled = basename(script) === 'vidimus' && !script.includes('node_modules');
  const program = isInstalled ? 'vidimus' : `node ${shellWord(file)}`;
  // Without a configuration everything is below ./data.
  if (config === null) return `cd ${shellWord(process.cwd())} && ${program}`;
  return `VIDIMUS_CONFIG=${shellWord(resolve(config))} ${program}`;
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
