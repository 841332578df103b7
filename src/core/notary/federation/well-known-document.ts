import { isJsonObject, type JsonValue } from '../../base/json/json-value.js';
import { parseStrictJson } from '../../base/json/strict-json.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import { parseServerName, type ServerName } from './server-name.js';

const MAX_SHOWN_LENGTH = 100;

/**
 * The server name under `member` of a well-known document. Other members are ignored.
 * @throws ApiError `bad_document` when the body is no JSON object with a valid server name there.
 */
export function parseWellKnown(body: Buffer, member: string): ServerName {
  const document = parseJson(body);
  const value = isJsonObject(document) ? document[member] : undefined;
  if (value === undefined) throw outboundError('bad_document', `no JSON object with "${member}"`);
  if (typeof value !== 'string') throw outboundError('bad_document', `"${member}" is no string`);
  const name = parseServerName(value);
  if (name === null) {
    throw outboundError(
      'bad_document',
      `${JSON.stringify(value.slice(0, MAX_SHOWN_LENGTH))} is no server name`,
    );
  }
  return name;
}

function parseJson(body: Buffer): JsonValue {
  try {
    return parseStrictJson(body, { floats: 'keep' });
  } catch (error) {
    throw outboundError('bad_document', 'not JSON', error);
  }
}
