import { ApiError, badJson, missingParam } from '../../core/base/errors/api-error.js';
import {
  JsonFloat,
  isJsonInteger,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../core/base/json/json-value.js';
import { parseStrictJson } from '../../core/base/json/strict-json.js';
import { KEY_QUERY_LIMITS, type KeyRequest, type ServerQuery } from '../../core/notary/keys/key-query.js';
import type { Exchange } from '../request-exchange.js';

/** What the largest query needs (the object and `server_keys`; of a key ID its object and its minimum), and 1,000 more. */
const MAX_VALUES = 2 + KEY_QUERY_LIMITS.maxServers + 2 * KEY_QUERY_LIMITS.maxKeyIds + 1000;

/** What the body of a request was found to ask before its route reads it. */
export const parsedQueries = new WeakMap<Exchange, readonly ServerQuery[]>();

/** Reads the body of a POST query (SPEC §4.3). Throws 400 with the code of the error, 413 above a limit. */
export function parseKeyQueryBody(body: Uint8Array): ServerQuery[] {
  const value = parseStrictJson(body, { floats: 'keep', maxValues: MAX_VALUES });
  if (!isJsonObject(value)) throw badJson('Content must be a JSON object.');
  const servers = value['server_keys'];
  if (servers === undefined) throw missingParam("Missing member 'server_keys'");
  if (!isJsonObject(servers)) throw badJson("'server_keys' must be an object");

  const serverNames = Object.keys(servers);
  if (serverNames.length > KEY_QUERY_LIMITS.maxServers) {
    throw tooMany(
      'servers',
      `'server_keys' names ${serverNames.length} servers, at most ${KEY_QUERY_LIMITS.maxServers} are allowed`,
    );
  }
  let keyIds = 0;
  return serverNames.map((serverName) => {
    const criteria = servers[serverName];
    if (!isJsonObject(criteria)) throw badJson(`'server_keys.${shorten(serverName)}' must be an object`);
    const keys = parseCriteria(serverName, criteria);
    keyIds += keys.length;
    if (keyIds > KEY_QUERY_LIMITS.maxKeyIds) {
      throw tooMany('key_ids', `'server_keys' names more than ${KEY_QUERY_LIMITS.maxKeyIds} key ids`);
    }
    return { serverName, keys };
  });
}

function parseCriteria(serverName: string, criteria: JsonObject): KeyRequest[] {
  const keyIds = Object.keys(criteria);
  if (keyIds.length > KEY_QUERY_LIMITS.maxKeyIdsPerServer) {
    const asked = `'server_keys.${shorten(serverName)}' names ${keyIds.length} key ids`;
    throw tooMany('key_ids', `${asked}, at most ${KEY_QUERY_LIMITS.maxKeyIdsPerServer} are allowed`);
  }
  return keyIds.map((keyId) => ({
    keyId,
    minimumValidUntilTs: parseMinimum(criteria[keyId], serverName, keyId),
  }));
}

/** SPEC §2.2: a strict integer; `null` and absent are the same; further members are ignored. */
function parseMinimum(
  criterion: JsonValue | undefined,
  serverName: string,
  keyId: string,
): number | bigint | null {
  if (!isJsonObject(criterion)) throw badJson(`'${pathOf(serverName, keyId)}' must be an object`);
  const minimum = criterion['minimum_valid_until_ts'];
  if (minimum === undefined || minimum === null) return null;
  if (minimum instanceof JsonFloat && minimum.text === '-0') return 0;
  if (isJsonInteger(minimum)) return minimum;
  throw badJson(`'${pathOf(serverName, keyId)}.minimum_valid_until_ts' must be an integer`);
}

function pathOf(serverName: string, keyId: string): string {
  return `server_keys.${shorten(serverName)}.${shorten(keyId)}`;
}

function tooMany(bound: 'servers' | 'key_ids', message: string): ApiError {
  return new ApiError(413, message, { errcode: 'M_TOO_LARGE', bound });
}

const SHOWN_NAME_LENGTH = 64;

function shorten(name: string): string {
  return name.length > SHOWN_NAME_LENGTH ? `${name.slice(0, SHOWN_NAME_LENGTH)}…` : name;
}
