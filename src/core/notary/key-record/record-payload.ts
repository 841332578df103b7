import type { Buffer } from 'node:buffer';
import { encodeCanonicalJsonBytes } from '../../base/json/canonical-json.js';
import { createJsonObject, type JsonObject } from '../../base/json/json-value.js';

/**
 * The bytes a signature covers: canonical JSON of the object without its top-level `signatures` and
 * `unsigned` (Matrix spec, appendix "Signing JSON"). Nested members of these names stay.
 */
export function signedPayload(object: JsonObject): Buffer {
  const covered = createJsonObject();
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value !== undefined && name !== 'signatures' && name !== 'unsigned') covered[name] = value;
  }
  return encodeCanonicalJsonBytes(covered);
}
