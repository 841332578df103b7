import { isJsonObject, type JsonValue } from '../../base/json/json-value.js';
import { STORED_JSON, parseStrictJson } from '../../base/json/strict-json.js';
import { withoutTrailing } from '../../base/text/without-trailing.js';
import type { SqlRunner } from '../../store/sql/plain-sql.js';
import { sql } from '../../store/sql/sql.js';
import type { AcceptedRecord } from '../key-record/key-record.js';
import type { StoredRecord } from '../key-record/stored-record.js';
import type { KeyEventBatch } from '../keys/key-event-store.js';
import type { Pin } from './rule-schemas.js';

/** Key IDs of other algorithms prove nothing to anybody. */
const PINNED_ALGORITHM = 'ed25519:';

/**
 * The keys that servers may list. A record contradicts a pin when it lists an Ed25519 key, a verify key or an old one,
 * that the pin does not name under the same key ID; one that lists fewer does not.
 */
export class Pins {
  #pins: ReadonlyMap<string, Pin> = new Map();
  /** Told of each server whose pin has become another one. */
  onChange: (serverName: string) => void = () => undefined;

  /** Takes other pins from now on. */
  replace(pins: readonly Pin[]): void {
    const before = this.#pins;
    this.#pins = new Map(pins.map((pin) => [pin.server_name, pin]));
    for (const name of new Set([...before.keys(), ...this.#pins.keys()]))
      if (JSON.stringify(before.get(name)) !== JSON.stringify(this.#pins.get(name))) this.onChange(name);
  }

  find(serverName: string): Pin | null {
    return this.#pins.get(serverName) ?? null;
  }

  /** Whether a stored record may be answered with. */
  serves({ serverName, published }: Pick<StoredRecord, 'serverName' | 'published'>): boolean {
    const pin = this.#pins.get(serverName);
    if (pin?.mode !== 'refuse') return true;
    return contradictions(pin, parseStrictJson(published, STORED_JSON)).length === 0;
  }

  /**
   * An event for each fetched record that contradicts a pin, unless the last such event of its server was about the
   * same record. Inside the transaction that saves them.
   */
  async eventsOf(
    runner: SqlRunner,
    records: readonly AcceptedRecord[],
    { recordIds, ts }: { recordIds: ReadonlyMap<string, number>; ts: (serverName: string) => number },
  ): Promise<KeyEventBatch[]> {
    const batches: KeyEventBatch[] = [];
    for (const { serverName, record } of records) {
      const pin = this.#pins.get(serverName);
      if (pin === undefined) continue;
      const keyIds = contradictions(pin, record);
      const recordId = recordIds.get(serverName) ?? null;
      if (keyIds.length === 0 || (await lastContradiction(runner, serverName)) === recordId) continue;
      const detail = { keys: keyIds.join(' ').slice(0, 1000), mode: pin.mode };
      const [keyId = null] = keyIds;
      const event = { kind: 'pin_contradicted', severity: 'alert', keyId, detail } as const;
      batches.push({ serverName, ts: ts(serverName), recordId, events: [event] });
    }
    return batches;
  }
}

/** Key IDs of a record that a pin does not name, or not with the same key. */
export function contradictions(pin: Pin, record: JsonValue): string[] {
  if (!isJsonObject(record)) return [];
  const pinned = new Map(Object.entries(pin.keys));
  const wrong = new Set<string>();
  for (const list of [record['verify_keys'], record['old_verify_keys']]) {
    for (const [keyId, listed] of Object.entries(isJsonObject(list) ? list : {})) {
      const key = isJsonObject(listed) ? listed['key'] : undefined;
      const isPinned = typeof key === 'string' && pinned.get(keyId) === withoutTrailing(key, '=');
      if (keyId.startsWith(PINNED_ALGORITHM) && !isPinned) wrong.add(keyId);
    }
  }
  return [...wrong];
}

async function lastContradiction(runner: SqlRunner, serverName: string): Promise<number | null> {
  const [row] = await runner.query<{ record_id: number | null }>(
    sql`SELECT record_id FROM key_event WHERE server_name = ${serverName} AND kind = 'pin_contradicted'
      ORDER BY seq DESC LIMIT 1`,
  );
  return row?.record_id ?? null;
}
