import { isRecord } from '../../base/json/is-record.js';
import { STORED_JSON, parseStrictJson } from '../../base/json/strict-json.js';
import { withoutTrailing } from '../../base/text/without-trailing.js';
import { contradictions } from '../../notary/oversight/pins.js';
import { ALL_SERVERS, pinSchema } from '../../notary/oversight/rule-schemas.js';
import type { Database } from '../../store/db.js';
import { sql } from '../../store/sql/sql.js';
import type { Oversight, RuleView } from './oversight.js';

/** What another notary last said of a server. */
export interface NotaryVerdict {
  notary: string;
  result: 'same' | 'differing' | 'silent';
  message: string;
  /** POSIX ms. */
  ts: number;
}

/** What is watched, pinned and compared of one server. */
export interface ServerOversight {
  /** Its own, and the one of all servers. */
  watches: RuleView[];
  pin: RuleView | null;
  /** Key IDs of the newest record that the pin does not name. */
  contradicting: string[];
  /** Newest first, one a notary. */
  verdicts: NotaryVerdict[];
  /** Ed25519 keys of the newest record, old ones included: what a pin of today would name. */
  keys: { keyId: string; publicKey: string }[];
}

const MAX_VERDICTS = 100;
const RESULTS = ['same', 'differing', 'silent'] as const;

export async function findServerOversight(
  database: Database,
  oversight: Oversight,
  serverName: string,
): Promise<ServerOversight> {
  const pin = oversight.find('pin', serverName);
  const record = await findNewestRecord(database, serverName);
  const watches = [oversight.find('watch', serverName), oversight.find('watch', ALL_SERVERS)];
  return {
    watches: watches.filter((watch) => watch !== null),
    pin,
    contradicting: pin === null ? [] : contradictions(pinSchema.parse(pin.value), record),
    verdicts: await findVerdicts(database, serverName),
    keys: keysOf(record),
  };
}

async function findNewestRecord({ plain }: Database, serverName: string) {
  const [row] = await plain.query<{ published: Uint8Array }>(sql`
    SELECT published FROM key_record WHERE server_name = ${serverName} ORDER BY last_seen_ts DESC, id DESC LIMIT 1`);
  return row === undefined ? null : parseStrictJson(row.published, STORED_JSON);
}

async function findVerdicts(database: Database, serverName: string): Promise<NotaryVerdict[]> {
  const rows = await database.client.keyEvent.findMany({
    where: { serverName, kind: { in: RESULTS.map((result) => `cross_check_${result}`) } },
    orderBy: { seq: 'desc' },
    take: MAX_VERDICTS,
  });
  const byNotary = new Map<string, NotaryVerdict>();
  for (const { kind, detail, ts } of rows) {
    const said = isRecord(detail) ? detail : {};
    const [name, message] = [said['notary'], said['message']].map((text) =>
      typeof text === 'string' ? text : '',
    );
    const result = RESULTS.find((known) => kind === `cross_check_${known}`) ?? 'silent';
    if (name === undefined || message === undefined || byNotary.has(name)) continue;
    byNotary.set(name, { notary: name, result, message, ts: Number(ts) });
  }
  return [...byNotary.values()];
}

function keysOf(record: unknown): ServerOversight['keys'] {
  if (!isRecord(record)) return [];
  const keys = new Map<string, string>();
  for (const list of [record['old_verify_keys'], record['verify_keys']]) {
    for (const [keyId, listed] of Object.entries(isRecord(list) ? list : {})) {
      const key = isRecord(listed) ? listed['key'] : null;
      if (keyId.startsWith('ed25519:') && typeof key === 'string') keys.set(keyId, withoutTrailing(key, '='));
    }
  }
  return [...keys].map(([keyId, publicKey]) => ({ keyId, publicKey }));
}
