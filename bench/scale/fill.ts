import { createHash } from 'node:crypto';

import { DAY_MS, HOUR_MS } from '../../src/core/base/clock.js';
import type { DatabaseOptions } from '../../src/core/store/db.js';
import { openBulk, type BulkConnection } from './bulk-connection.js';

/** What a filled database holds. */
export interface Filled {
  /** Key records; of each server four, of which the last is current. */
  records: number;
  servers: number;
  /** Half as many as records; each with the row of its page, two of three with an image and its five thumbnails. */
  previews: number;
  /** Addresses of stored previews that are found by their hash, spread over all. */
  addresses: readonly string[];
}

export const KEY_ID = 'ed25519:a_scal';
export const RECORDS_EACH = 4;
/** So many servers behind each other there is one that fails, and one whose keys are due to be fetched again. */
const FAILING_EACH = 25;
const DUE_EACH = 10;
/** So many servers behind each other there is one with an alarm; a hundred wait, as many were acknowledged, others gave way. */
const ALARM_EACH = 100;
const LAST_JUDGED = 20_000;
const ADDRESSES = 3000;
const PIECE = 100_000;
const LEAST_HOSTS = 600;
/** Media is kept for two days. */
const SPREAD_MS = 40 * HOUR_MS;
const THUMBNAILS = [
  [32, 32, 'crop', 900],
  [96, 96, 'crop', 3000],
  [320, 240, 'scale', 14_000],
  [640, 480, 'scale', 42_000],
  [800, 600, 'scale', 61_000],
] as const;

/** The name of a server by its number, from 1; names sort as the numbers. */
export function serverName(number: number): string {
  return `matrix-${String(10_000_000 + number).slice(1)}.example`;
}

/** Whether a server's keys are stored, valid and not due, so that nobody goes out for them. */
export function isFresh(number: number): boolean {
  return number % FAILING_EACH !== 0 && number % DUE_EACH !== 1;
}

/** Fills an empty, migrated database with so many key records and half as many previews. */
export async function fillScale(options: DatabaseOptions, records: number): Promise<Filled> {
  const bulk = await openBulk(options);
  const servers = Math.floor(records / RECORDS_EACH);
  const previews = Math.floor(records / 2);
  const nowTs = Date.now();
  for (const [from, until] of pieces(1, servers)) await fillServers(bulk, { from, until, nowTs });
  await bulk.run(
    `INSERT INTO domain_usage (domain, servers, bytes) VALUES ('*', ${servers}, ${records * 2500})`,
  );
  const hosts = Math.max(LEAST_HOSTS, Math.floor(previews / 50));
  const stepMs = SPREAD_MS / previews;
  for (const [from, until] of pieces(1, previews))
    await fillPreviews(bulk, {
      from,
      until,
      nowTs,
      hosts,
      stepMs,
      createdTs: Math.floor(nowTs - SPREAD_MS + from * stepMs),
    });
  const addresses = await nameAddresses(bulk, { previews, hosts });
  await settleSequences(bulk, options, { key_record: records, preview_cache: previews });
  await bulk.end();
  return { records, servers, previews, addresses };
}

function* pieces(first: number, last: number): Generator<[from: number, until: number]> {
  for (let from = first; from <= last; from += PIECE) yield [from, Math.min(last + 1, from + PIECE)];
}

interface Stretch {
  from: number;
  until: number;
  nowTs: number;
}

async function fillServers(bulk: BulkConnection, { from, until, nowTs }: Stretch): Promise<void> {
  const numbers = bulk.numbers(from, until);
  const name = (number: string) =>
    `('matrix-' || SUBSTR(CAST(10000000 + ${number} AS TEXT), 2) || '.example')`;
  /** When the current record of a server was fetched. */
  const seen = (number: string) =>
    `(${nowTs} - (${number} % 97) * 600000 - CASE WHEN ${number} % ${FAILING_EACH} = 0 THEN ${9 * DAY_MS}
      WHEN ${number} % ${DUE_EACH} = 1 THEN ${5 * DAY_MS} ELSE 0 END)`;
  const valid = `(${seen('i')} + ${7 * DAY_MS})`;
  const fails = `i % ${FAILING_EACH} = 0`;
  const alarms = `i % ${ALARM_EACH} = 0`;
  // Events are numbered as the servers are.
  const waits = `(i % ${2 * ALARM_EACH} = 0 AND i <= ${LAST_JUDGED})`;
  await bulk.run(`INSERT INTO remote_server (server_name, first_asked_ts, last_fetch_ts, last_ok_ts, fail_count,
      next_try_ts, last_error_reason, last_error_message, throttle_tokens, throttle_tokens_ts, added_ts,
      valid_until_ts, due_ts, key_count, alarm_seq, alarm_count, acknowledged_seq)
    SELECT ${name('i')}, ${nowTs - 60 * DAY_MS} + i, ${seen('i')}, ${seen('i')}, CASE WHEN ${fails} THEN 6 ELSE 0 END,
      CASE WHEN ${fails} THEN ${nowTs + HOUR_MS} ELSE 0 END, CASE WHEN ${fails} THEN 'connect_timeout' END,
      CASE WHEN ${fails} THEN 'no connection within 10 s' END, 10, 0, ${seen('i')}, ${valid},
      ${seen('i')} / 2 + ${valid} / 2, 1, CASE WHEN ${waits} THEN i END, CASE WHEN ${waits} THEN 1 ELSE 0 END,
      CASE WHEN ${alarms} AND NOT ${waits} AND i <= ${LAST_JUDGED} THEN i END FROM ${numbers}`);
  // Records are numbered from 1 as the servers are; the fourth of each is current.
  const records = bulk.numbers((from - 1) * RECORDS_EACH + 1, (until - 1) * RECORDS_EACH + 1);
  const owner = `((i + ${RECORDS_EACH - 1}) / ${RECORDS_EACH})`;
  const recordSeen = `(${seen(owner)} - (${owner} * ${RECORDS_EACH} - i) * ${7 * DAY_MS})`;
  const recordValid = `(${recordSeen} + ${7 * DAY_MS})`;
  const key = `'{"key":"' || SUBSTR(${bulk.hex(owner)}, 1, 43) || '"}'`;
  const published =
    bulk.bytes(`'{"old_verify_keys":{},"server_name":"' || ${name(owner)} || '","signatures":{"' ||
    ${name(owner)} || '":{"${KEY_ID}":"' || ${bulk.hex('i')} || 'ABCDEFGHIJKLMNOPQRSTUV' || '"}},"valid_until_ts":' ||
    ${recordValid} || ',"verify_keys":{"${KEY_ID}":' || ${key} || '}}'`);
  await bulk.run(`INSERT INTO key_record (id, server_name, sha256, published, valid_until_ts, first_seen_ts, last_seen_ts)
    SELECT i, ${name(owner)}, ${bulk.hex('i')}, ${published}, ${recordValid}, ${recordSeen}, ${recordSeen} FROM ${records}`);
  await bulk.run(`INSERT INTO newest_record (server_name, record_id, from_ts)
    SELECT ${name(owner)}, i, ${recordSeen} FROM ${records}`);
  await bulk.run(`INSERT INTO verify_key (server_name, key_id, record_id, public_key, first_seen_ts, last_seen_ts)
    SELECT ${name('i')}, '${KEY_ID}', i * ${RECORDS_EACH}, SUBSTR(${bulk.hex('i')}, 1, 43), ${seen('i')} - ${21 * DAY_MS},
      ${seen('i')} FROM ${numbers}`);
  await bulk.run(`INSERT INTO key_event (ts, server_name, kind, severity, key_id, record_id, detail, alarm)
    SELECT ${seen('i')} - ${21 * DAY_MS}, ${name('i')}, 'key_added', 'info', '${KEY_ID}', i * ${RECORDS_EACH} - 3, '{}',
      ${alarms} FROM ${numbers}`);
  for (const agoMs of [7 * DAY_MS, 0])
    await bulk.run(`INSERT INTO key_fetch (server_name, started_ts, duration_ms, outcome, reason, message, cause, record_id, steps)
      SELECT ${name('i')}, ${seen('i')} - ${agoMs}, 180, CASE WHEN ${fails} THEN 'failed' ELSE 'ok' END,
        CASE WHEN ${fails} THEN 'connect_timeout' END, CASE WHEN ${fails} THEN 'no connection within 10 s' END,
        'query', NULL, '${STEPS}' FROM ${numbers}`);
  await bulk.run(
    `INSERT INTO domain_usage (domain, servers, bytes) SELECT ${name('i')}, 1, 110000 FROM ${numbers}`,
  );
}

/** As long as those of an ordinary fetch. */
const STEPS = JSON.stringify(
  ['well-known', 'srv', 'address', 'connect', 'request', 'record'].map((kind) => ({
    kind,
    status: 'ok',
    ms: 30,
  })),
);

interface PreviewStretch extends Stretch {
  hosts: number;
  /** Of the first. */
  createdTs: number;
  /** From one to the next. */
  stepMs: number;
}

/** A tenth of all is of one host, as of the site with the videos. Hosts are named as those of the lists' own benches. */
const hostOf = (hosts: number) =>
  `(CASE WHEN i % 10 = 0 THEN 'videos.test' ELSE 'site-' || (i % ${hosts}) || '.test' END)`;
const urlOf = (hosts: number) => `('https://' || ${hostOf(hosts)} || '/articles/' || i || '?from=list')`;

async function fillPreviews(bulk: BulkConnection, stretch: PreviewStretch): Promise<void> {
  const { from, until, nowTs, createdTs, stepMs, hosts } = stretch;
  const numbers = bulk.numbers(from, until);
  const day = new Date(createdTs).toISOString().slice(0, 10);
  // Media ids hold letters only: a letter for each digit.
  const letters = [7, 6, 5, 4, 3, 2, 1, 0].map(
    (place) => `SUBSTR('abcdefghij', CAST(i / ${10 ** place} % 10 AS INTEGER) + 1, 1)`,
  );
  const mediaId = (kind: string) => `('${day}_${kind}' || ${letters.join(' || ')})`;
  const [page, image] = [mediaId('pagepage'), mediaId('imgimage')];
  const created = `(${createdTs} + CAST((i - ${from}) * ${stepMs} AS BIGINT))`;
  const title = `('Page number ' || i || ' of a site with titles of usual length')`;
  const hasImage = 'i % 3 > 0';
  const columns = `media_id, user_id, created_ts, content_type, sniffed_type, size_bytes, sha256, url_cache, width,
    height, host, host_end`;
  const common = `'@user-' || (i % 5000) || ':example.org', ${created}`;
  await bulk.run(`INSERT INTO media (${columns}) SELECT ${image}, ${common}, 'image/jpeg', 'image/jpeg',
    100000 + (i % 9001) * 20, ${bulk.hex('i')}, ${urlOf(hosts)} || '/image.jpg', 1200, 630, ${hostOf(hosts)},
    ${hostOf(hosts)} FROM ${numbers} WHERE ${hasImage}`);
  await bulk.run(`INSERT INTO media (${columns}) SELECT ${page}, ${common}, 'text/html; charset=utf-8', NULL,
    20000 + (i % 9001) * 10, ${bulk.hex('i')}, ${urlOf(hosts)}, NULL, NULL, ${hostOf(hosts)}, ${hostOf(hosts)}
    FROM ${numbers}`);
  const sizes = THUMBNAILS.map(
    ([width, height, method, bytes]) =>
      `SELECT ${width} AS w, ${height} AS h, '${method}' AS m, ${bytes} AS b`,
  );
  await bulk.run(`INSERT INTO media_thumbnail (media_id, width, height, method, content_type, size_bytes, animated)
    SELECT ${image}, w, h, m, 'image/jpeg', b, FALSE FROM ${numbers} CROSS JOIN (${sizes.join(' UNION ALL ')}) AS s
    WHERE ${hasImage}`);
  const description = 'A description of some length. '.repeat(10);
  const imagePart = `CASE WHEN ${hasImage} THEN ',"og:image":"mxc://notary.bench.example/' || ${image} || '"' ELSE '' END`;
  await bulk.run(`INSERT INTO preview_cache (id, url, url_sha256, response_code, etag, expires_ts, open_graph, media_id,
      created_ts, download_ts, url_key, host, host_end, title, image_media_id, is_empty)
    SELECT i, ${urlOf(hosts)}, ${bulk.hex('i')}, 200, NULL, ${nowTs + DAY_MS} + (i * 7919) % ${DAY_MS},
      '{"og:title":"' || ${title} || '","og:description":"${description}"' || ${imagePart} || '}', ${page}, ${created},
      ${created}, ${urlOf(hosts)}, ${hostOf(hosts)}, ${hostOf(hosts)}, ${title},
      CASE WHEN ${hasImage} THEN ${image} END, FALSE FROM ${numbers}`);
}

/** Gives previews the hash by which their addresses are found, which SQL alone cannot make on both engines. */
async function nameAddresses(
  bulk: BulkConnection,
  { previews, hosts }: { previews: number; hosts: number },
): Promise<string[]> {
  const count = Math.min(ADDRESSES, previews);
  const numbers = Array.from({ length: count }, (_, at) => 1 + Math.floor((previews * at) / count));
  const addresses = numbers.map((i) => {
    const host = i % 10 === 0 ? 'videos.test' : `site-${i % hosts}.test`;
    return `https://${host}/articles/${i}?from=list`;
  });
  for (const [at, address] of addresses.entries()) {
    const hash = createHash('sha256').update(address).digest('hex');
    await bulk.run(`UPDATE preview_cache SET url_sha256 = '${hash}' WHERE id = ${numbers[at]}`);
  }
  return addresses;
}

/** PostgreSQL does not notice row ids that were given. */
async function settleSequences(
  bulk: BulkConnection,
  { engine }: DatabaseOptions,
  last: Readonly<Record<string, number>>,
): Promise<void> {
  if (engine === 'sqlite') return;
  for (const [table, id] of Object.entries(last))
    await bulk.run(`SELECT setval(pg_get_serial_sequence('${table}', 'id'), ${id})`);
}
