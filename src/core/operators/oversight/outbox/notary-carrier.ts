import type { Clock } from '../../../base/clock.js';
import { Deadline } from '../../../base/deadline.js';
import { outboundError } from '../../../base/errors/outbound-error.js';
import type { KeyRecordPolicy } from '../../../notary/key-record/key-record.js';
import { appendKeyEvents, type KeyEventListener } from '../../../notary/keys/key-event-store.js';
import { crossCheck, type CrossCheck, type StoredKeys } from '../../../notary/oversight/cross-check.js';
import type { OtherNotary } from '../../../notary/oversight/rule-schemas.js';
import type { Database } from '../../../store/db.js';
import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { sql } from '../../../store/sql/sql.js';
import type { Attempted, Carrier } from './outbox-sender.js';
import { postJson, sentenceOf, type OutboxAgents } from './post-json.js';
import { gone } from './webhook-carrier.js';

export interface NotaryAskingOptions {
  agents: OutboxAgents;
  policy: KeyRecordPolicy;
  /** Path of the key query below the address of a notary. */
  queryPath: string;
  userAgent: string;
  timeoutMs: number;
  maxAnswerBytes: number;
}

export interface NotaryCarrierOptions extends NotaryAskingOptions {
  find(name: string): OtherNotary | null;
  /** Told of the events with the results. */
  listener: KeyEventListener;
  database: Database;
  clock: Clock;
  giveUpAfterMs: number;
}

/** Asks another notary about a server; what it says becomes an event of the server. */
export function notaryCarrier(options: NotaryCarrierOptions): Carrier {
  const { database, listener, clock } = options;
  return {
    giveUpAfterMs: options.giveUpAfterMs,
    carry: async (item, signal) => {
      const notary = options.find(item.destination);
      if (notary === null) return gone(item);
      const stored = await findStoredKeys(database, item.subject);
      if (stored === null) return { outcome: 'done', message: 'Nothing is stored of the server any more.' };
      const { isAway, ...check } = await askNotary(notary, stored, { ...options, signal });
      const save = async (runner: SqlRunner): Promise<void> => {
        const event = eventOf(check, notary);
        const batch = { serverName: stored.serverName, ts: clock.now(), recordId: null, events: [event] };
        await appendKeyEvents(runner, [batch], listener);
      };
      const outcome: Attempted['outcome'] = check.mayChange ? 'retry' : 'done';
      return { outcome, message: check.message, isAway, save };
    },
  };
}

const SEVERITIES = { same: 'info', differing: 'alert', silent: 'warning' } as const;

function eventOf({ result, message }: CrossCheck, { server_name }: OtherNotary) {
  const detail = { notary: server_name, message };
  return { kind: `cross_check_${result}`, severity: SEVERITIES[result], keyId: null, detail } as const;
}

/** Asks a notary what it has of a server. A notary that gives no usable answer is silent, and `isAway`. */
export async function askNotary(
  notary: OtherNotary,
  stored: StoredKeys,
  { agents, policy, queryPath, timeoutMs, signal, ...how }: NotaryAskingOptions & { signal: AbortSignal },
): Promise<CrossCheck & { isAway: boolean }> {
  const deadline = new Deadline(timeoutMs, signal);
  const url = new URL(notary.url);
  url.pathname = url.pathname.replace(/\/$/, '') + queryPath;
  const { userAgent, maxAnswerBytes } = how;
  const own = { agents: agents[notary.allow_private ? 'private' : 'guarded'], userAgent, maxAnswerBytes };
  const ask = async (question: Buffer): Promise<Buffer> => {
    const { status, body } = await postJson(url, question, { ...own, deadline });
    if (status !== 200) throw outboundError('http_status', `it answered ${status}`);
    return body;
  };
  try {
    return { ...(await crossCheck(stored, { notary, policy, ask })), isAway: false };
  } catch (error) {
    return { result: 'silent', message: sentenceOf(error, deadline), mayChange: true, isAway: true };
  } finally {
    deadline.close();
  }
}

/** The verify keys of the newest record of a server; `null`: none is stored. */
async function findStoredKeys({ plain }: Database, serverName: string): Promise<StoredKeys | null> {
  const rows = await plain.query<{ key_id: string; public_key: string; valid_until_ts: number | string }>(sql`
    SELECT k.key_id, k.public_key, r.valid_until_ts FROM verify_key k JOIN key_record r ON r.id = k.record_id
    WHERE k.server_name = ${serverName} AND k.expired_ts IS NULL AND r.last_seen_ts = (
      SELECT MAX(last_seen_ts) FROM key_record WHERE server_name = ${serverName})
    ORDER BY k.key_id`);
  const [first] = rows;
  if (first === undefined) return null;
  return {
    serverName,
    keys: new Map(rows.map(({ key_id, public_key }) => [key_id, public_key])),
    validUntilTs: Math.min(Number(first.valid_until_ts), Number.MAX_SAFE_INTEGER),
  };
}
