import { createHash } from 'node:crypto';

import { encodeCanonicalJsonBytes } from '../../../base/json/canonical-json.js';
import { ApiError } from '../../../base/errors/api-error.js';
import {
  isJsonInteger,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../base/json/json-value.js';
import { STORED_JSON, parseStrictJson } from '../../../base/json/strict-json.js';
import { acceptKeyRecord } from '../../../notary/key-record/key-record.js';
import { readSigners, type ExportSigner } from '../signed-export.js';
import { HISTORY_FORMAT, HISTORY_SECTIONS, type HistorySection } from './history-export.js';

/** Why an export proves nothing, and in which line. */
export class HistoryError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}

/** An export that holds what it says. */
export interface CheckedHistory {
  serverName: string;
  notary: string;
  /** POSIX ms. */
  exportedTs: number | bigint;
  counts: Readonly<Record<HistorySection, number>>;
  /** Every one of them has signed the whole. */
  signers: readonly ExportSigner[];
}

/** Of records that were accepted once. */
const ANY_RECORD = { requireAllKeysSigned: false, bannedPublicKeys: new Set<string>(), maxKeys: Infinity };

/**
 * Checks an export of `exportHistory` line by line, without asking anybody: form and order, every record by the
 * signatures of its own server, that all of it is there, and the notary's signature over the whole.
 */
export class HistoryCheck {
  readonly #hash = createHash('sha256');
  readonly #counts: Record<HistorySection, number> = { record: 0, newest: 0, event: 0 };
  readonly #records = new Set<number>();
  readonly #deleted = new Set<number>();
  /** Lines that name a record which has not been seen so far, by its number. */
  readonly #missing = new Map<number, number>();
  #line = 0;
  #head: (JsonObject & { server_name: string }) | null = null;
  #section = 0;
  #lastNumber = -1;
  #result: CheckedHistory | null = null;

  /** The next line, without its line feed. Throws `HistoryError`. */
  add(bytes: Uint8Array): void {
    this.#line++;
    const line = this.#parse(bytes);
    if (this.#result !== null) throw this.#error('something follows the last line');
    if (this.#head === null) this.#readHead(line);
    else if (line['type'] === 'end') this.#result = this.#readEnd(line, this.#head);
    else this.#readRow(line, this.#head);
    if (this.#result === null) this.#hash.update(bytes).update('\n');
  }

  /** What the export holds, after its last line. Throws `HistoryError` when it is cut off. */
  end(): CheckedHistory {
    if (this.#result !== null) return this.#result;
    this.#line++;
    throw this.#error(this.#head === null ? 'the file is empty' : 'the file is cut off: it has no last line');
  }

  #error(message: string): HistoryError {
    return new HistoryError(this.#line, message);
  }

  #parse(bytes: Uint8Array): JsonObject {
    let value: JsonValue;
    try {
      value = parseStrictJson(bytes, STORED_JSON);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw this.#error(`it is no JSON (${error.detail ?? error.message})`);
    }
    if (isJsonObject(value)) return value;
    throw this.#error('it is no JSON object');
  }

  #readHead(line: JsonObject): void {
    if (line['type'] !== 'history')
      throw this.#error('this is no exported history: its first line is another');
    if (line['format'] !== HISTORY_FORMAT) throw this.#error(`its format is another than ${HISTORY_FORMAT}`);
    const { server_name } = line;
    if (typeof server_name !== 'string') throw this.#error('server_name is no text');
    this.#head = { ...line, server_name };
  }

  #readRow(line: JsonObject, head: { server_name: string }): void {
    const section = HISTORY_SECTIONS.findIndex((each) => each === line['type']);
    const type = HISTORY_SECTIONS[section];
    if (type === undefined) throw this.#error('its type is none of record, newest, event and end');
    if (section < this.#section) throw this.#error(`a line of type ${type} stands too late`);
    if (section > this.#section) [this.#section, this.#lastNumber] = [section, -1];
    this.#counts[type]++;
    const number = this.#integer(line, type === 'newest' ? 'from_ts' : 'number');
    const isInOrder = type === 'newest' ? number >= this.#lastNumber : number > this.#lastNumber;
    if (!isInOrder) throw this.#error(`it is not in order: ${number} follows ${this.#lastNumber}`);
    this.#lastNumber = number;
    if (type === 'record') this.#readRecord(line, head.server_name);
    else this.#readReference(line);
  }

  #readRecord(line: JsonObject, serverName: string): void {
    const { record } = line;
    if (!isJsonObject(record)) throw this.#error('record is no object');
    if (this.#integer(line, 'first_seen_ts') > this.#integer(line, 'last_seen_ts')) {
      throw this.#error('last_seen_ts lies before first_seen_ts');
    }
    try {
      const { sha256 } = acceptKeyRecord(encodeCanonicalJsonBytes(record), serverName, ANY_RECORD);
      if (sha256 !== line['sha256']) throw this.#error('sha256 is not that of the record');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw this.#error(`the record is not one of ${serverName}: ${error.detail ?? error.message}`);
    }
    this.#records.add(this.#integer(line, 'number'));
  }

  #readReference(line: JsonObject): void {
    if (line['record'] === null) return;
    const number = this.#integer(line, 'record');
    if (line['kind'] === 'record_deleted') this.#deleted.add(number);
    if (!this.#records.has(number) && !this.#missing.has(number)) this.#missing.set(number, this.#line);
  }

  #readEnd(line: JsonObject, head: JsonObject & { server_name: string }): CheckedHistory {
    const statement = line['vidimus_key_history'];
    if (!isJsonObject(statement)) throw this.#error('vidimus_key_history is no object');
    for (const name of ['format', 'server_name', 'notary', 'exported_ts'] as const) {
      if (statement[name] !== head[name]) throw this.#error(`${name} is another than in the first line`);
    }
    for (const type of HISTORY_SECTIONS) {
      if (statement[type] === this.#counts[type]) continue;
      const counted = `there are ${this.#counts[type]} lines of type ${type}`;
      throw this.#error(`${counted}, and another number was signed: lines are missing or too many`);
    }
    for (const [number, at] of this.#missing) {
      if (!this.#deleted.has(number))
        throw new HistoryError(at, `it names record ${number}, which is not there and was not deleted`);
    }
    if (statement['sha256'] !== this.#hash.digest('hex')) {
      throw this.#error('the lines before it are others than those that were signed');
    }
    const { notary, exported_ts: exportedTs } = statement;
    if (typeof notary !== 'string' || !isJsonInteger(exportedTs))
      throw this.#error('notary or exported_ts is missing');
    const signers = readSigners(line, statement['keys'], notary);
    if (typeof signers === 'string') throw this.#error(signers);
    return { serverName: head.server_name, notary, exportedTs, counts: this.#counts, signers };
  }

  #integer(line: JsonObject, name: string): number {
    const value = line[name];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw this.#error(`${name} is no integer`);
  }
}
