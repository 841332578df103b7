import { dirname, join } from 'node:path';

import type { Config } from '../../config/schema.js';
import { dialectOf } from '../../core/base/dialect.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import type { Logger } from '../../core/base/logger.js';
import { makeFolders } from '../../core/base/make-folders.js';
import { LOG_KEY_TITLE as TITLE, createLogKeyFile, loadLogKey } from '../../core/notary/log/log-key-file.js';
import { logPath } from '../../core/notary/log/log-path.js';
import { LogStore } from '../../core/notary/log/log-store.js';
import type { LogKey } from '../../core/notary/log/notes/log-key.js';
import { selfTestSigningKeys } from '../../core/notary/signing/signer.js';
import type { Database } from '../../core/store/db.js';
import { whyFileCannotBeMade } from './key-file-place.js';
import { refuseErrors, type StartProblem } from './start-problem.js';

/** What is known of the log's key before the log is opened; `key` is null when it is still to be made. */
export interface CheckedLogKey {
  key: LogKey | null;
  problems: StartProblem[];
}

/** Everything that speaks against going on with the log over this store; makes nothing. `null`: no store to ask. */
export async function checkLogKey(config: Config, database: Database | null): Promise<CheckedLogKey> {
  if (!config.log.enabled) return { key: null, problems: [] };
  const path = logKeyPathOf(config);
  const known = database === null ? null : ((await new LogStore(database).readState())?.verifierKey ?? null);
  const problems: StartProblem[] = [];
  const refuse = (message: string, setting = 'log.key_path') =>
    void problems.push({ setting, message, isError: true });
  const key = await readKey(path, problems);
  if (key === 'unfit') return { key: null, problems };
  if (key === 'missing') {
    const why = known === null ? await whyFileCannotBeMade(TITLE, path) : missingKey(path, known);
    if (why !== null) refuse(why);
    return { key: null, problems };
  }
  if (known !== null && known !== key.verifierKey) refuse(otherKey(path, key.verifierKey, known));
  const { origin } = config.log;
  if (origin !== null && origin !== key.origin) {
    const message = `is ${origin}, and the key of the log was made for ${key.origin}, which others know it by`;
    refuse(`log.origin ${message}. Set it to that, or remove it`, 'log.origin');
  }
  return { key, problems };
}

/** The key of the log, made at its first start; `null` without a log. Rejects with the way out. */
export async function settleLogKey(
  config: Config,
  { database, logger }: { database: Database; logger: Logger },
): Promise<LogKey | null> {
  const { key, problems } = await checkLogKey(config, database);
  refuseErrors(problems, logger);
  if (!config.log.enabled) return null;
  return key ?? makeLogKey(config, logger);
}

async function makeLogKey(config: Config, logger: Logger): Promise<LogKey> {
  const path = logKeyPathOf(config);
  makeFolders(dirname(path), 0o700);
  const key = await createLogKeyFile(path, config.log.origin ?? originOf(config));
  logger.info({ path, verifier_key: key.verifierKey }, 'made the key of the log; back it up');
  return key;
}

/** Beside what the server has written already. */
function logKeyPathOf({ log, database, signing_key_path: signingKeyPath }: Config): string {
  if (log.key_path !== null) return log.key_path;
  const neighbour = database.engine === 'sqlite' ? database.path : (signingKeyPath ?? database.path);
  return join(dirname(neighbour), 'log.key');
}

/** Where the log can be had, without scheme (C2SP tlog-checkpoint, "origin"). */
function originOf({ public_baseurl: baseUrl, server_name: serverName, dialect }: Config): string {
  const base = baseUrl === null ? null : new URL(baseUrl);
  const place = base === null ? serverName : `${base.host}${base.pathname}`;
  return `${place.replace(/\/+$/, '')}${logPath(dialectOf(dialect).pathPrefix)}`.replace(/\/$/, '');
}

async function readKey(path: string, problems: StartProblem[]): Promise<LogKey | 'missing' | 'unfit'> {
  const setting = 'log.key_path';
  const remark = (message: string) => void problems.push({ setting, message, isError: false });
  try {
    const key = await loadLogKey(path, remark);
    selfTestSigningKeys([key.signingKey]);
    return key;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.reason === 'signing_key_file_missing') return 'missing';
    problems.push({ setting, message: error.message, isError: true });
    return 'unfit';
  }
}

function missingKey(path: string, known: string): string {
  return (
    `${TITLE} ${path} does not exist, but the database holds the log ${known}. Put the file back from its backup ` +
    'or from another instance, or correct log.key_path: nobody else can go on with this log'
  );
}

function otherKey(path: string, found: string, known: string): string {
  return (
    `${TITLE} ${path} holds the key of the log ${found}, and the database holds the log ${known}. ` +
    'Put the right file there, or correct log.key_path'
  );
}
