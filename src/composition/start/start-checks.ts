import { dirname, join } from 'node:path';

import type { LogKey } from '@vidimus/tlog';

import type { ReferencedFiles } from '../../config/input/referenced-files.js';
import { TRIAL_SERVER_NAME } from '../../config/load-config.js';
import type { Config } from '../../config/schema.js';
import type { Clock } from '../../core/base/clock.js';
import { dialectOf } from '../../core/base/dialect.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import type { Logger } from '../../core/base/logger.js';
import { makeFolders } from '../../core/base/make-folders.js';
import type { RetiredKey } from '../../core/notary/key-record/record-signing.js';
import { LOG_KEY_FILE, createLogKeyFile, loadLogKey } from '../../core/notary/log/log-key-file.js';
import { logPath, readLogState } from '../../core/notary/log/log-store.js';
import { identityErrors, resolveOwnKeys } from '../../core/notary/own-keys/own-key-states.js';
import { SigningKeyStore } from '../../core/notary/own-keys/signing-key-store.js';
import { selfTestSigningKeys, type SigningKey } from '../../core/notary/signing/signer.js';
import { createSigningKeyFile, loadSigningKeys } from '../../core/notary/signing/signing-key-file.js';
import { findServerName, keepServerName } from '../../core/store/database-identity.js';
import type { Database, DatabaseOptions } from '../../core/store/db.js';

/** Something beyond the text of the configuration that stops the start, or that an operator should hear about. */
export interface StartProblem {
  setting: string;
  /** A sentence that says what to do. */
  message: string;
  isError: boolean;
}

/** Logs what is no error, and throws all errors at once as one `ApiError` 500. */
export function refuseErrors(problems: readonly StartProblem[], logger: Logger): void {
  for (const { setting, message, isError } of problems) if (!isError) logger.warn({ setting }, message);
  const errors = problems.filter(({ isError }) => isError).map(({ message }) => message);
  if (errors.length > 0) throw new ApiError(500, errors.join('\n'), { reason: 'start_refused' });
}

export interface OwnSigningKeys {
  /** Listed in our own record, which they sign. None: somebody else publishes the record of our name. */
  active: readonly SigningKey[];
  /** Sign answers about other servers; some of the active ones when there are any. */
  notary: readonly SigningKey[];
}

/**
 * Reads the key files and says everything that is wrong with them; makes nothing. `keys` is null when there are errors,
 * and when the file of `signing_key_path` is still to be made.
 */
export async function readKeyFiles(
  config: Config,
): Promise<{ keys: OwnSigningKeys | null; problems: StartProblem[] }> {
  const problems: StartProblem[] = [];
  const active = await readFileOf(config, 'signing_key_path', problems);
  const notary = await readFileOf(config, 'key_server_signing_keys_path', problems);
  if (active === null || notary === null) return { keys: null, problems };
  const keys = { active, notary: notary.length === 0 ? active : notary };
  problems.push(...unlistedKeys(keys));
  try {
    selfTestSigningKeys([...new Set([...active, ...keys.notary])]);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    problems.push({ setting: 'signing_key_path', message: error.message, isError: true });
  }
  return { keys: problems.some(({ isError }) => isError) ? null : keys, problems };
}

/** Makes the first key, in a file that must not be there yet. Rejects with a sentence for operators. */
export async function makeFirstKey(path: string, logger: Logger): Promise<OwnSigningKeys> {
  makeFolders(dirname(path), 0o700);
  const key = await createSigningKeyFile(path);
  logger.info({ path, key_id: key.keyId }, 'created a signing key; back it up');
  return { active: [key], notary: [key] };
}

export function configuredOldKeys({ old_signing_keys: old }: Config): RetiredKey[] {
  return [...old].map(([keyId, { key, expired_ts: expiredTs }]) => ({ keyId, publicKey: key, expiredTs }));
}

/** No keys when the setting is unset; `null` when they cannot be read. Only `signing_key_path` may be missing: a first start makes it. */
async function readFileOf(
  config: Config,
  setting: 'signing_key_path' | 'key_server_signing_keys_path',
  problems: StartProblem[],
): Promise<SigningKey[] | null> {
  const path = config[setting];
  if (path === null) return [];
  const remark = (message: string) => void problems.push({ setting, message, isError: false });
  try {
    return await loadSigningKeys(path, remark);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const isToBeMade = error.reason === 'signing_key_file_missing' && setting === 'signing_key_path';
    // A key that is made at the start cannot be one that signs already.
    if (!isToBeMade) problems.push({ setting, message: error.message, isError: true });
    else if (config.key_server_signing_keys_path !== null) {
      const message = `Signing key file ${path} does not exist, and none is created while key_server_signing_keys_path is set`;
      problems.push({ setting, message, isError: true });
    }
    return null;
  }
}

/** A key that signs our answers and is not in our record is the sign of a name that somebody else publishes, too. */
function unlistedKeys({ active, notary }: OwnSigningKeys): StartProblem[] {
  if (active.length === 0) return [];
  const listed = new Set(active.map(({ keyId, publicKeyBase64 }) => `${keyId} ${publicKeyBase64}`));
  const unlisted = notary.filter(({ keyId, publicKeyBase64 }) => !listed.has(`${keyId} ${publicKeyBase64}`));
  if (unlisted.length === 0) return [];
  const message =
    `key_server_signing_keys_path holds ${unlisted.map(({ keyId }) => keyId).join(', ')}, but signing_key_path does ` +
    'not: it would vouch for the keys of signing_key_path. If a homeserver has our server_name, remove ' +
    'signing_key_path; its record is then fetched. If the name is ours alone, add the key to ' +
    'the file of signing_key_path too';
  return [{ setting: 'key_server_signing_keys_path', message, isError: true }];
}

/** `keys` is null while the file of `signing_key_path` is still to be made. */
interface IdentitySources {
  database: Database;
  clock: Clock;
  keys: OwnSigningKeys | null;
}

/** What the store says against serving under this name with these keys. Changes nothing. */
export async function checkStoredIdentity(
  config: Config,
  { database, clock, keys }: IdentitySources,
): Promise<StartProblem[]> {
  const store = new SigningKeyStore(database);
  const kept = await findServerName(database);
  const known = { names: kept === null ? await store.ownNames() : [kept], keys: await store.list() };
  const identity = {
    serverName: config.server_name,
    trialName: TRIAL_SERVER_NAME,
    missingKeyFile: keys === null ? config.signing_key_path : null,
  };
  const active = (keys?.active ?? []).map((key) => ({ keyId: key.keyId, publicKey: key.publicKeyBase64 }));
  const states = { active, configuredOld: configuredOldKeys(config), stored: known.keys };
  const contradictions = resolveOwnKeys(states, clock.now()).errors;
  return [
    ...identityErrors(known, identity).map((error) => ({ ...error, isError: true })),
    ...contradictions.map((message) => ({ setting: 'signing_key_path', message, isError: true })),
  ];
}

/** Keeps the name of a server that has started, but for that of a trial, which another may follow. */
export async function keepName({ server_name: name }: Config, database: Database): Promise<void> {
  if (name !== TRIAL_SERVER_NAME) await keepServerName(database, name);
}

const LOG_KEY = 'log.key_path';

/** What prevents this configuration from continuing the log of the store; makes nothing. `null`: no store. */
export async function checkLogKey(config: Config, database: Database | null): Promise<StartProblem[]> {
  return config.log.enabled ? (await readLogKey(config, database)).problems : [];
}

/** The key of the log, created at its first start; `null` without a log. Rejects with what to do. */
export async function settleLogKey(
  config: Config,
  { database, logger }: { database: Database; logger: Logger },
): Promise<LogKey | null> {
  if (!config.log.enabled) return null;
  const { key: found, problems } = await readLogKey(config, database);
  refuseErrors(problems, logger);
  if (found !== null) return found;
  const path = logKeyPath(config);
  makeFolders(dirname(path), 0o700);
  const key = await createLogKeyFile(path, config.log.origin ?? publicName(config));
  logger.info({ path, verifier_key: key.verifierKey }, 'created the log key; back it up');
  return key;
}

/** Beside what the server has written already. */
function logKeyPath({ log, database, signing_key_path: signingKeyPath }: Config): string {
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

async function readLogKey(
  config: Config,
  database: Database | null,
): Promise<{ key: LogKey | null; problems: StartProblem[] }> {
  const path = logKeyPath(config);
  const known = database === null ? null : await readLogState(database.client);
  const problems: StartProblem[] = [];
  const add = (message: string, isError = true, setting = LOG_KEY) =>
    void problems.push({ setting, message, isError });
  const key = await loadLogKey(path, (remark) => add(remark, false)).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    if (error.reason !== 'signing_key_file_missing') add(error.message);
    else if (known !== null)
      add(
        `${LOG_KEY_FILE} ${path} does not exist, but the database holds the log ${known.verifierKey}. Restore the file ` +
          `from a backup or from another instance, or correct ${LOG_KEY}: without this key, the log cannot continue`,
      );
    return null;
  });
  if (key === null) return { key, problems };
  if (known !== null && known.verifierKey !== key.verifierKey)
    add(
      `${LOG_KEY_FILE} ${path} holds the key of the log ${key.verifierKey}, but the database holds the log ` +
        `${known.verifierKey}. Put the right file there, or correct ${LOG_KEY}`,
    );
  const { origin } = config.log;
  if (origin !== null && origin !== key.name) {
    const message = `is ${origin}, but the log key was created for ${key.name}, the name that others know`;
    add(`log.origin ${message}. Set it to that name, or remove it`, true, 'log.origin');
  }
  return { key, problems };
}

/** Which database the configuration names, with the password from its file. */
export function databaseOptionsOf(loaded: { config: Config; files: ReferencedFiles }): DatabaseOptions {
  const { databasePassword } = loaded.files;
  const { engine, path, synchronous, url: named, max_connections: maxConnections } = loaded.config.database;
  if (engine === 'sqlite') return { engine, path, synchronous };
  const url = new URL(named ?? '');
  if (databasePassword !== null) url.password = encodeURIComponent(databasePassword);
  return { engine, url: url.href, maxConnections };
}
