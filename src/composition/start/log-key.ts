import { dirname, join } from 'node:path';

import type { LogKey } from '@vidimus/tlog';

import type { Config } from '../../config/schema.js';
import { dialectOf } from '../../core/base/dialect.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import type { Logger } from '../../core/base/logger.js';
import { makeFolders } from '../../core/base/make-folders.js';
import { logPath, LogStore } from '../../core/notary/log/log-store.js';
import { LOG_KEY_FILE, createLogKeyFile, loadLogKey } from '../../core/notary/log/log-key-file.js';
import type { Database } from '../../core/store/db.js';
import { refuseErrors, type StartProblem, whyFileCannotBeMade } from './start-problem.js';

const SETTING = 'log.key_path';

/** The log's key before it is used; `key` is null while the file does not exist or cannot be used. */
interface CheckedLogKey {
  key: LogKey | null;
  problems: StartProblem[];
}

/** What prevents this configuration from continuing the log of the store; makes nothing. `null`: no store. */
export async function checkLogKey(config: Config, database: Database | null): Promise<StartProblem[]> {
  return config.log.enabled ? (await check(config, database)).problems : [];
}

/** The key of the log, created at its first start; `null` without a log. Rejects with what to do. */
export async function settleLogKey(
  config: Config,
  { database, logger }: { database: Database; logger: Logger },
): Promise<LogKey | null> {
  if (!config.log.enabled) return null;
  const { key: found, problems } = await check(config, database);
  refuseErrors(problems, logger);
  return found ?? make(config, logger);
}

/** Beside what the server has written already. */
function keyPath({ log, database, signing_key_path: signingKeyPath }: Config): string {
  const neighbour = database.engine === 'sqlite' ? database.path : (signingKeyPath ?? database.path);
  return log.key_path ?? join(dirname(neighbour), 'log.key');
}

/** The public address of the log, without scheme (C2SP signed-note: "key names" are such addresses). */
function publicName({ public_baseurl: baseUrl, server_name: serverName, dialect }: Config): string {
  const base = baseUrl === null ? null : new URL(baseUrl);
  const place = base === null ? serverName : `${base.host}${base.pathname}`;
  const path = logPath(dialectOf(dialect).pathPrefix);
  return `${place.replace(/\/+$/, '')}${path}`.replace(/\/$/, '');
}

async function check(config: Config, database: Database | null): Promise<CheckedLogKey> {
  const path = keyPath(config);
  const known = database === null ? null : await new LogStore(database).readState();
  const problems: StartProblem[] = [];
  const add = (message: string, isError = true, setting = SETTING) =>
    void problems.push({ setting, message, isError });
  const key = await loadLogKey(path, (remark) => add(remark, false)).catch(async (error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    const isMissing = error.reason === 'signing_key_file_missing';
    const whyNotMade =
      known === null ? await whyFileCannotBeMade(LOG_KEY_FILE, path) : missingKey(path, known.verifierKey);
    const why = isMissing ? whyNotMade : error.message;
    if (why !== null) add(why);
    return null;
  });
  if (key === null) return { key, problems };
  if (known !== null && known.verifierKey !== key.verifierKey)
    add(otherKey(path, key.verifierKey, known.verifierKey));
  const { origin } = config.log;
  if (origin !== null && origin !== key.name) {
    const message = `is ${origin}, and the key of the log was made for ${key.name}, which others know it by`;
    add(`log.origin ${message}. Set it to that, or remove it`, true, 'log.origin');
  }
  return { key, problems };
}

async function make(config: Config, logger: Logger): Promise<LogKey> {
  const path = keyPath(config);
  makeFolders(dirname(path), 0o700);
  const key = await createLogKeyFile(path, config.log.origin ?? publicName(config));
  logger.info({ path, verifier_key: key.verifierKey }, 'made the key of the log; back it up');
  return key;
}

function missingKey(path: string, known: string): string {
  return (
    `${LOG_KEY_FILE} ${path} does not exist, but the database holds the log ${known}. Put the file back from its backup ` +
    `or from another instance, or correct ${SETTING}: nobody else can continue this log`
  );
}

function otherKey(path: string, found: string, known: string): string {
  return (
    `${LOG_KEY_FILE} ${path} holds the key of the log ${found}, and the database holds the log ${known}. ` +
    `Put the right file there, or correct ${SETTING}`
  );
}
