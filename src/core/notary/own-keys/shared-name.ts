import { Deadline } from '../../base/deadline.js';
import { fetchTrusted } from '../../net/http/trusted-client.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json-value.js';
import { parseStrictJson } from '../../base/json/strict-json.js';
import { decodeBase64 } from '../signing/base64.js';
import type { SigningKey } from '../signing/signer.js';

/** Who we say we are, and the homeserver we stand beside. */
export interface SharedNameQuestion {
  homeserverUrl: string;
  serverName: string;
  /** The keys that our own record would list; `null`: one that is still to be made. */
  activeKeys: readonly SigningKey[] | null;
}

/** What the homeserver tells. */
export interface SharedNameAnswer {
  /** Whether it publishes a record under our name. */
  isShared: boolean;
  /** Completes a start that has to be refused. */
  error: string | null;
  /** Why it told nothing; `null`: it told. */
  silence: string | null;
  /** Whether it may yet tell: one that serves no keys at its address never does. */
  mayTell: boolean;
}

/** Of a name that is ours alone. */
export const NOT_SHARED: SharedNameAnswer = {
  isShared: false,
  error: null,
  silence: null,
  mayTell: false,
};

const TIMEOUT_MS = 3000;
const MAX_ANSWER_BYTES = 256 * 1024;

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
    if (answer.headers['error-reason'] === 'own_name_unsettled') return NOT_SHARED;
    const { status, body } = answer;
    if (status !== 200) return silent(`it answered ${status}`, isPassing(status));
    const record = recordIn(body);
    if (record === null) return silent('its answer is no record', false);
    const isShared = record['server_name'] === question.serverName;
    return { isShared, error: isShared ? errorOf(record, question) : null, silence: null, mayTell: false };
  } catch (error) {
    return silent(error instanceof Error ? error.message : String(error), true);
  } finally {
    deadline.close();
  }
}

function silent(silence: string, mayTell: boolean): SharedNameAnswer {
  return { isShared: false, error: null, silence, mayTell };
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

function errorOf(record: JsonObject, { serverName, activeKeys }: SharedNameQuestion): string | null {
  const strange = activeKeys?.filter((key) => !lists(record['verify_keys'], key)).map(({ keyId }) => keyId);
  if (strange?.length === 0) return null;
  const keys =
    strange === undefined
      ? 'a key that is made for signing_key_path'
      : `${strange.join(', ')}, which signing_key_path holds`;
  return (
    `The homeserver is called ${serverName} too and does not publish ${keys}: ` +
    "peers would take a key for the homeserver's that is not. Name the homeserver's own file in " +
    'signing_key_path; or remove signing_key_path and name that file in key_server_signing_keys_path, so that its ' +
    'record is fetched; or choose a server_name of your own'
  );
}

function lists(verifyKeys: JsonValue | undefined, key: SigningKey): boolean {
  const entry = isJsonObject(verifyKeys) ? verifyKeys[key.keyId] : undefined;
  const text = isJsonObject(entry) ? entry['key'] : undefined;
  return typeof text === 'string' && decodeBase64(text)?.equals(key.publicKey) === true;
}
