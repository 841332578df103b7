import { createHash } from 'node:crypto';

import { ApiError } from '../../../base/errors/api-error.js';
import { isJsonObject, type JsonObject } from '../../../base/json/json-value.js';
import { STORED_JSON, parseStrictJson } from '../../../base/json/strict-json.js';
import { readSigners, type ExportSigner } from '../signed-export.js';
import { KEYS_END, KEYS_FORMAT } from './key-export.js';

/** Why a file is no whole export. */
export class KeyExportError extends Error {}

export interface CheckedKeyExport {
  notary: string;
  records: number;
  /** Every one of them has signed the whole. */
  signers: readonly ExportSigner[];
}

/**
 * Whether an export is as its notary signed it: head, number of lines and SHA-256. The records in it are not looked at.
 * Rejects with `KeyExportError`.
 */
export async function checkKeyExport(lines: AsyncIterable<Uint8Array>): Promise<CheckedKeyExport> {
  const hash = createHash('sha256');
  let head: JsonObject | null = null;
  let last: Uint8Array | null = null;
  let count = 0;
  for await (const line of lines) {
    if (last === null) head = readHead(line);
    else hash.update(last).update('\n');
    last = line;
    count += 1;
  }
  const end = last === null || count < 2 ? null : parseLine(last);
  const statement = end === null ? undefined : end[KEYS_END];
  if (head === null || end === null || !isJsonObject(statement))
    throw new KeyExportError('it is cut off: its last line is none of an export');
  const { notary, records, sha256 } = statement;
  if (typeof notary !== 'string' || notary !== head['notary'] || records !== count - 2)
    throw new KeyExportError('its last line says something else than the lines before it');
  if (sha256 !== hash.digest('hex'))
    throw new KeyExportError('its lines are others than those that were signed');
  const signers = readSigners(end, statement['keys'], notary);
  if (typeof signers === 'string') throw new KeyExportError(signers);
  return { notary, records, signers };
}

/** `null`: it is no JSON object. */
export function parseLine(line: Uint8Array): JsonObject | null {
  try {
    const value = parseStrictJson(line, STORED_JSON);
    return isJsonObject(value) ? value : null;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

function readHead(line: Uint8Array): JsonObject {
  const head = parseLine(line);
  if (head?.['format'] === KEYS_FORMAT) return head;
  throw new KeyExportError(`it is no export of the form ${KEYS_FORMAT}`);
}
