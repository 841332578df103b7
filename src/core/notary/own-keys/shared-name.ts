import { Deadline } from '../../base/deadline.js';
import { ApiError } from '../../base/errors/api-error.js';
import { fetchTrusted } from '../../net/http/trusted-client.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json-value.js';
import { parseStrictJson } from '../../base/json/strict-json.js';
import type { AcceptedRecord } from '../key-record/key-record.js';
import { decodeBase64 } from '../signing/base64.js';
import type { SigningKey } from '../signing/signer.js';

/** The reason by which a question about our name learns that it came to ourselves. */
export const OWN_NAME_UNSETTLED = 'own_name_unsettled';

/** Who we say we are. */
interface NameQuestion {
  serverName: string;
  /** The keys that our own record would list; `null`: one that is still to be made. */
  activeKeys: readonly SigningKey[] | null;
}

/** The same for the homeserver we stand beside. */
export interface SharedNameQuestion extends NameQuestion {
  homeserverUrl: string;
}

/** The same for whoever is found by the name. */
export interface FoundNameQuestion extends NameQuestion {
  /** The record of our name as peers get it. Rejects with an `ApiError` that says what failed. */
  fetchRecord: () => Promise<AcceptedRecord>;
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

const TIMEOUT_MS = 3000;
const MAX_ANSWER_BYTES = 256 * 1024;
const HOMESERVER_ADVICE =
  'It is asked again and again at auth.homeserver_url, which has to lead to where it serves /key/v2/server. When it ' +
  'has our name and other keys, correct what is named here and start again.';
const FOUND_ADVICE =
  'It is looked for again and again. Lead server_name to this server, as peers find it; where this machine cannot ' +
  'reach its own public address, give it another one in its hosts file and allow that in ip_range_whitelist. Beside ' +
  'a homeserver name that in auth.homeserver_url.';

/**
 * Asks the homeserver which record it publishes: when it has our name, every key of ours has to be in it, or we would
 * vouch for a key that is not the homeserver's. Never rejects.
 */
export async function checkSharedName(question: SharedNameQuestion): Promise<SharedNameAnswer> {
  const deadline = new Deadline(TIMEOUT_MS);
  try {
    const url = new URL('_matrix/key/v2/server', question.homeserverUrl);
    const headers = { Accept: 'application/json' };
    const answer = await fetchTrusted({ url, headers, maxBodyBytes: MAX_ANSWER_BYTES, deadline });
    // We answer under that address ourselves.
    if (answer.headers['error-reason'] === OWN_NAME_UNSETTLED) return NOT_SHARED;
    const { status, body } = answer;
    if (status !== 200) return homeserverSilent(`it answered ${status}`, isPassing(status));
    const record = recordIn(body);
    if (record === null) return homeserverSilent('its answer is no record', false);
    if (record['server_name'] !== question.serverName) return NOT_SHARED;
    const verifyKeys = record['verify_keys'];
    return shared(`The homeserver is called ${question.serverName} too`, question, (key) =>
      lists(verifyKeys, key),
    );
  } catch (error) {
    return homeserverSilent(error instanceof Error ? error.message : String(error), true);
  } finally {
    deadline.close();
  }
}

/**
 * The same where no homeserver is named: whoever is found by our name, as peers find a server, has that name. Any
 * failure may end, since nobody gets our record where the name leads elsewhere. Never rejects.
 */
export async function checkFoundName(question: FoundNameQuestion): Promise<SharedNameAnswer> {
  const { serverName, fetchRecord } = question;
  try {
    const { verifyKeys } = await fetchRecord();
    return shared(`A server is found by the name ${serverName}`, question, ({ keyId, publicKeyBase64 }) => {
      return verifyKeys.get(keyId)?.publicKey === publicKeyBase64;
    });
  } catch (error) {
    if (error instanceof ApiError && error.originReason === OWN_NAME_UNSETTLED) return NOT_SHARED;
    const why = error instanceof ApiError ? `${error.message}${detailOf(error)}` : String(error);
    const silence = `Who is found by the name ${serverName} did not say which keys it has: ${why}`;
    return { ...NOT_SHARED, silence, mayTell: true, advice: FOUND_ADVICE };
  }
}

function detailOf({ detail }: ApiError): string {
  return detail === null ? '' : ` (${detail})`;
}

function homeserverSilent(why: string, mayTell: boolean): SharedNameAnswer {
  const silence = `The homeserver did not say whether it publishes keys under our name: ${why}`;
  return { ...NOT_SHARED, silence, mayTell, advice: HOMESERVER_ADVICE };
}

/** Whether something else may be answered soon: it is starting, busy, or has asked for a pause. */
function isPassing(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

function recordIn(body: Buffer): JsonObject | null {
  try {
    const record = parseStrictJson(body);
    return isJsonObject(record) ? record : null;
  } catch {
    return null;
  }
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
      ? 'a key that is made for signing_key_path'
      : `${strange.join(', ')}, which signing_key_path holds`;
  const error =
    `${who} and does not publish ${keys}: ` +
    "peers would take a key for the homeserver's that is not. Name the homeserver's own file in " +
    'signing_key_path; or remove signing_key_path and name that file in key_server_signing_keys_path, so that its ' +
    'record is fetched; or choose a server_name of your own';
  return { ...NOT_SHARED, isShared: true, error };
}

function lists(verifyKeys: JsonValue | undefined, key: SigningKey): boolean {
  const entry = isJsonObject(verifyKeys) ? verifyKeys[key.keyId] : undefined;
  const text = isJsonObject(entry) ? entry['key'] : undefined;
  return typeof text === 'string' && decodeBase64(text)?.equals(key.publicKey) === true;
}
