import { SECOND_MS } from '../../base/clock.js';
import { ApiError, unavailable } from '../../base/errors/api-error.js';
import { isJsonObject, type JsonValue } from '../../base/json/json-value.js';
import { parseJsonOrNull } from '../../base/json/strict-json.js';
import type { Logger } from '../../base/logger.js';
import { fetchTrusted } from '../../net/http/trusted-client.js';
import type { AcceptedRecord } from '../key-record/key-record.js';
import { decodeBase64, type SigningKey } from '../signing/signer.js';

/** The reason by which a question about our name learns that it came to ourselves. */
const OWN_NAME_UNSETTLED = 'own_name_unsettled';

interface NameQuestion {
  serverName: string;
  /** The keys that our own record would list; `null`: one that is still to be made. */
  activeKeys: readonly SigningKey[] | null;
}

/** What somebody tells who may have our name. */
export interface SharedNameAnswer {
  /** Whether it publishes a record under our name. */
  isShared: boolean;
  /** Completes a start that has to be refused. */
  error: string | null;
  /** Who told nothing, and why, as a sentence without its end; `null`: it told. */
  silence: string | null;
  /** Whether it may yet tell: a homeserver that serves no keys at its address never does. */
  mayTell: boolean;
  /** What to do when it stays silent. */
  advice: string;
}

/** Of a name that is ours alone. */
export const NOT_SHARED: SharedNameAnswer = {
  isShared: false,
  error: null,
  silence: null,
  mayTell: false,
  advice: '',
};

const LIMITS = { timeoutMs: 3000, maxBodyBytes: 256 * 1024 };
const HOMESERVER_ADVICE =
  'It is asked again until it answers. Check that auth.homeserver_url leads to where it serves /key/v2/server. If it ' +
  'has our name and other keys, correct signing_key_path or server_name and restart.';
const FOUND_ADVICE =
  'The check is repeated until it succeeds. Make server_name lead to this server, as it does for peers. If this ' +
  'machine cannot reach its own public address, add another one to its hosts file and to ip_range_whitelist. Beside ' +
  'a homeserver, set auth.homeserver_url.';

/**
 * Asks the homeserver which record it publishes: when it has our name, every key of ours has to be in it, or we would
 * vouch for a key that is not the homeserver's. Never rejects.
 */
export async function checkSharedName(
  question: NameQuestion & { homeserverUrl: string },
): Promise<SharedNameAnswer> {
  try {
    const url = new URL('_matrix/key/v2/server', question.homeserverUrl);
    const headers = { Accept: 'application/json' };
    const answer = await fetchTrusted({ url, headers, ...LIMITS });
    // We answer under that address ourselves.
    if (answer.headers['error-reason'] === OWN_NAME_UNSETTLED) return NOT_SHARED;
    const { status, body } = answer;
    // Something else may be answered soon when it is starting, busy, or has asked for a pause.
    const isPassing = status >= 500 || status === 408 || status === 429;
    if (status !== 200) return homeserverSilent(`its status is ${status}`, isPassing);
    const record = parseJsonOrNull(body);
    if (!isJsonObject(record)) return homeserverSilent('its answer is not a key record', false);
    if (record['server_name'] !== question.serverName) return NOT_SHARED;
    const verifyKeys = record['verify_keys'];
    return shared(`The homeserver is also called ${question.serverName}`, question, (key) =>
      lists(verifyKeys, key),
    );
  } catch (error) {
    return homeserverSilent(error instanceof Error ? error.message : String(error), true);
  }
}

/**
 * The same where no homeserver is named: whoever is found by our name, as peers find a server, has that name. Any
 * failure may end, since nobody gets our record where the name leads elsewhere. Never rejects.
 */
export async function checkFoundName(
  question: NameQuestion,
  fetchRecord: () => Promise<AcceptedRecord>,
): Promise<SharedNameAnswer> {
  const { serverName } = question;
  try {
    const { verifyKeys } = await fetchRecord();
    return shared(`Another server answers as ${serverName}`, question, ({ keyId, publicKeyBase64 }) => {
      return verifyKeys.get(keyId)?.publicKey === publicKeyBase64;
    });
  } catch (error) {
    if (error instanceof ApiError && error.originReason === OWN_NAME_UNSETTLED) return NOT_SHARED;
    const { message, detail } = error instanceof ApiError ? error : { message: String(error), detail: null };
    const why = detail === null ? message : `${message} (${detail})`;
    const silence = `Could not fetch the keys that are published as ${serverName}: ${why}`;
    return { ...NOT_SHARED, silence, mayTell: true, advice: FOUND_ADVICE };
  }
}

function homeserverSilent(why: string, mayTell: boolean): SharedNameAnswer {
  const silence = `Could not ask the homeserver whether it uses our name: ${why}`;
  return { ...NOT_SHARED, silence, mayTell, advice: HOMESERVER_ADVICE };
}

/** It has our name, so that all our keys have to be its own; `who` begins the sentence that says which are not. */
function shared(
  who: string,
  { activeKeys }: NameQuestion,
  isIts: (key: SigningKey) => boolean,
): SharedNameAnswer {
  const strange = activeKeys?.filter((key) => !isIts(key)).map(({ keyId }) => keyId);
  if (strange?.length === 0) return { ...NOT_SHARED, isShared: true };
  const keys =
    strange === undefined
      ? 'the key that would be created for signing_key_path'
      : `${strange.join(', ')} of signing_key_path`;
  const error =
    `${who} but does not publish ${keys}: ` +
    "peers would take our key for the homeserver's. Set signing_key_path to the homeserver's file; or remove " +
    'signing_key_path and set key_server_signing_keys_path to that file, so that its record is fetched; or choose a ' +
    'server_name of your own';
  return { ...NOT_SHARED, isShared: true, error };
}

function lists(verifyKeys: JsonValue | undefined, key: SigningKey): boolean {
  const entry = isJsonObject(verifyKeys) ? verifyKeys[key.keyId] : undefined;
  const text = isJsonObject(entry) ? entry['key'] : undefined;
  return typeof text === 'string' && decodeBase64(text)?.equals(key.publicKey) === true;
}

export interface OwnNameOptions {
  /** What the start was told by who may have our name. */
  told: SharedNameAnswer;
  /** Asks again. Rejects when the store is away. */
  ask: (signal: AbortSignal) => Promise<SharedNameAnswer>;
  /** What our own record states the time by. */
  clockError: () => string | null;
  logger: Logger;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30 * SECOND_MS;
const CLOCK_ADVICE =
  'Run a time service such as chrony; the record is published once the clock is plausible. If the clock is right, ' +
  'install a newer version.';

/**
 * Whether a record of ours may be published under our name. Until who may have the name, too, has said so none is: it
 * may have other keys, and starts in its own time. Nor is one while the clock cannot be right. Both are looked at again
 * and again.
 */
export class OwnName {
  #told: SharedNameAnswer;
  #isPublished = false;
  #pauseMs = FIRST_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;
  readonly #closed = new AbortController();

  constructor(private readonly options: OwnNameOptions) {
    this.#told = options.told;
  }

  /** Why nothing is published under it, as a sentence without its end, and what to do; `null`: our record is. */
  get objection(): { why: string; advice: string } | null {
    const { error, silence, advice } = this.#told;
    const clockError = this.options.clockError();
    if (clockError !== null) return { why: clockError.slice(0, -1), advice: CLOCK_ADVICE };
    if (error !== null) return { why: error, advice: 'Correct the settings named here and restart.' };
    return this.#isPublished ? null : { why: silence ?? 'It will be published in a moment', advice };
  }

  /** Whether nothing speaks against a first record of ours. */
  get isOurs(): boolean {
    const { error, mayTell } = this.#told;
    return error === null && !mayTell && this.isTimed;
  }

  /** Whether the clock may be right, by which keys are made and retired. */
  get isTimed(): boolean {
    return this.options.clockError() === null;
  }

  /** Throws 503 while nothing is published under it. */
  require(): void {
    if (this.objection === null) return;
    if (!this.isTimed) {
      const message = 'Nothing is signed until the clock of this server is right';
      throw unavailable('clock_wrong', message, { retryAfterSeconds: 30 });
    }
    const message = 'No keys are published under this name until it is known who owns it';
    throw unavailable(OWN_NAME_UNSETTLED, message, {
      retryAfterSeconds: Math.ceil(this.#pauseMs / SECOND_MS),
    });
  }

  /** A record of our keys is published under it, or was before: to withhold it now would protect nobody. */
  trust(): void {
    this.#isPublished = true;
  }

  /** Asks until it is ours; `publish` is through before anything is answered under the name. */
  start(publish: () => Promise<void>): void {
    const isSettled = this.#isPublished && !this.#told.mayTell;
    if (isSettled || this.#closed.signal.aborted) return;
    this.#timer = setTimeout(() => void this.#askAgain(publish), this.#pauseMs).unref();
  }

  close(): void {
    this.#closed.abort();
    clearTimeout(this.#timer);
  }

  async #askAgain(publish: () => Promise<void>): Promise<void> {
    const { ask, logger } = this.options;
    const { signal } = this.#closed;
    try {
      if (this.#told.mayTell && this.isTimed) this.#told = await ask(signal);
    } catch (error) {
      if (!signal.aborted)
        logger.warn({ err: error }, 'could not find out who answers under our server name');
    }
    if (signal.aborted) return;
    const { error } = this.#told;
    if (error !== null) {
      logger.error({ setting: 'signing_key_path' }, error);
      return;
    }
    if (this.isOurs && (await this.#publish(publish))) return;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * this.#pauseMs);
    this.start(publish);
  }

  async #publish(publish: () => Promise<void>): Promise<boolean> {
    const { logger } = this.options;
    try {
      await publish();
      this.#isPublished = true;
      logger.info('the name is ours; our own key record is published');
      return true;
    } catch (error) {
      logger.warn({ err: error }, 'own key record could not be stored');
      return false;
    }
  }
}
