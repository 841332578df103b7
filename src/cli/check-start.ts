import { homeserverUrlOf } from '../config/homeserver-url.js';
import type { Config } from '../config/schema.js';
import { systemClock } from '../core/base/clock.js';
import { Deadline } from '../core/base/deadline.js';
import { errorCode } from '../core/base/errors/error-code.js';
import { openDatabase, type DatabaseOptions } from '../core/store/db.js';
import { migrationStatus, refusalOf } from '../core/store/migrate.js';
import { mayComeBack, isStoreError } from '../core/store/store-errors.js';
import { ServerLock } from '../core/store/sqlite/server-lock.js';
import { fetchTrusted } from '../core/net/http/trusted-client.js';
import { isJsonObject } from '../core/base/json/json-value.js';
import { parseStrictJson } from '../core/base/json/strict-json.js';
import { createLogger } from '../core/base/logger.js';
import { fetchOwnRecordOnce } from '../composition/start/own-record.js';
import { databaseOptionsOf } from '../composition/parts.js';
import { checkMediaStorage } from '../composition/media/check-media-storage.js';
import { checkLogKey } from '../composition/start/log-key.js';
import { whyDatabaseCannotBeWritten } from '../composition/start/file-place.js';
import { readKeyFiles, type OwnSigningKeys } from '../composition/start/own-signing-keys.js';
import { probeAddress } from '../server/probe-address.js';
import { checkIdentity } from '../composition/start/start-checks.js';
import type { StartProblem } from '../composition/start/start-problem.js';
import type { UsableConfig } from './configuration.js';
import { describeError } from './describe-error.js';
import { listenError } from './serve/listen-error.js';

const HOMESERVER_TIMEOUT_MS = 3000;
const MAX_VERSIONS_BYTES = 256 * 1024;
const AUTHENTICATED_MEDIA_MINOR = 11;

/**
 * Everything beyond the text of the configuration that would stop the start, and what an operator should hear before
 * it: key files, addresses, the store with the identity in it, and the homeserver. Changes nothing.
 */
export async function checkStart(loaded: UsableConfig): Promise<StartProblem[]> {
  const { config } = loaded;
  const { keys, problems } = await readKeyFiles(config);
  const areKeysFaulty = problems.some(({ isError }) => isError);
  const found = await Promise.all([
    checkAddresses(config),
    areKeysFaulty ? [] : checkStore(loaded, keys),
    checkAuthenticatedMedia(config),
    checkMediaStorage(config),
  ]);
  return [...problems, ...found.flat()];
}

/** A taken port is no error: the service itself may be running. */
async function checkAddresses({ listeners }: Config): Promise<StartProblem[]> {
  const problems: StartProblem[] = [];
  for (const [index, { port, bind_addresses: addresses }] of listeners.entries()) {
    for (const address of addresses) {
      const error: unknown = await probeAddress(address, port).then(
        () => null,
        (reason: unknown) => reason,
      );
      if (error === null) continue;
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      const setting = `listeners[${index}]`;
      const message = isTaken
        ? `${address} port ${port} is taken; unless by this very service, the start is refused`
        : (describeError(listenError(error)).message ?? '');
      problems.push({ setting, message, isError: !isTaken });
    }
  }
  return problems;
}

/**
 * What the state of the store and the identity in it say. One that is away and may come back is waited for by the start:
 * no error.
 */
async function checkStore(loaded: UsableConfig, keys: OwnSigningKeys | null): Promise<StartProblem[]> {
  const options = databaseOptionsOf(loaded);
  const fetchOwn = (signal: AbortSignal) => fetchOwnRecordOnce(loaded, signal);
  const sources = { clock: systemClock, keys, fetchOwnRecord: fetchOwn };
  try {
    const status = await migrationStatus(options);
    const refusal = refusalOf(status);
    if (refusal !== null) return [{ setting: 'database', message: refusal.message, isError: true }];
    const isNew = status.applied.length === 0;
    const database = isNew ? null : await openDatabase(options, createLogger({ level: 'silent' }));
    try {
      const place = await checkPlace(options);
      const isBehind = status.pending.length > 0;
      const identity = await checkIdentity(loaded.config, { ...sources, database, isBehind });
      const noteKeys = await checkLogKey(loaded.config, isBehind ? null : database);
      return [...place, ...identity, ...noteKeys, ...(await findHolder(options))];
    } finally {
      await database?.close();
    }
  } catch (error) {
    const message = describeError(error).message ?? '';
    const isError = !isStoreError(error) || !mayComeBack(error, options);
    const place = await checkPlace(options);
    const away = place.length > 0 ? place : [{ setting: 'database', message, isError }];
    const identity = await checkIdentity(loaded.config, { ...sources, database: null, isAway: true });
    const noteKeys = await checkLogKey(loaded.config, null);
    return [...away, ...identity, ...noteKeys];
  }
}

/** Whether a SQLite file can be written, or made. */
async function checkPlace(options: DatabaseOptions): Promise<StartProblem[]> {
  if (options.engine !== 'sqlite') return [];
  const message = await whyDatabaseCannotBeWritten(options.path);
  return message === null ? [] : [{ setting: 'database.path', message, isError: true }];
}

async function findHolder(options: DatabaseOptions): Promise<StartProblem[]> {
  const holder = await new ServerLock(options, systemClock).holder();
  if (holder === null) return [];
  const message = `is in use by ${holder}; unless that is this very service, the start is refused`;
  return [{ setting: 'database.path', message, isError: false }];
}

/** Clients send a token for media only where the homeserver says so in its list of versions. */
async function checkAuthenticatedMedia(config: Config): Promise<StartProblem[]> {
  const homeserverUrl = homeserverUrlOf(config);
  if (homeserverUrl === null) return [];
  const setting = 'auth.homeserver_url';
  const deadline = new Deadline(HOMESERVER_TIMEOUT_MS);
  try {
    const url = new URL('_matrix/client/versions', homeserverUrl);
    const headers = { Accept: 'application/json' };
    const answer = await fetchTrusted({ url, headers, maxBodyBytes: MAX_VERSIONS_BYTES, deadline });
    const versions = answer.status === 200 ? parseStrictJson(answer.body) : null;
    if (!isJsonObject(versions)) {
      const message = `The homeserver did not list its versions (status ${answer.status}); is this its address?`;
      return [{ setting, message, isError: false }];
    }
    if (hasAuthenticatedMedia(versions) || !config.enable_authenticated_media) return [];
    const message =
      'The homeserver has no authenticated media (Matrix 1.11): its clients send no token, so that images of ' +
      'previews do not load. Set enable_authenticated_media: false';
    return [{ setting: 'enable_authenticated_media', message, isError: false }];
  } catch (error) {
    const why = errorCode(error) || (error instanceof Error ? error.message : String(error));
    const message = `The homeserver cannot be asked: ${why}`;
    return [{ setting, message, isError: false }];
  } finally {
    deadline.close();
  }
}

function hasAuthenticatedMedia(answer: Record<string, unknown>): boolean {
  const versions = Array.isArray(answer['versions']) ? answer['versions'] : [];
  const isNewEnough = versions.some((version) => {
    const [, minor] = /^v1\.(\d+)$/.exec(String(version)) ?? [];
    return minor !== undefined && Number(minor) >= AUTHENTICATED_MEDIA_MINOR;
  });
  const features = answer['unstable_features'];
  const flags = typeof features === 'object' && features !== null ? features : {};
  return isNewEnough || ('org.matrix.msc3916.stable' in flags && flags['org.matrix.msc3916.stable'] === true);
}
