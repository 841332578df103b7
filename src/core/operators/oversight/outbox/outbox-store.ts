import { storableText } from '../../../base/text/storable-text.js';
import type { Database } from '../../../store/db.js';
import { enumColumn } from '../../../store/enum-column.js';
import { insertRows, type InsertRow } from '../../../store/sql/insert-rows.js';
import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { listOf, sql } from '../../../store/sql/sql.js';

export const CHANNELS = ['webhook', 'command', 'notary'] as const;
export type Channel = (typeof CHANNELS)[number];
export const OUTBOX_STATES = ['waiting', 'done', 'failed'] as const;
export type OutboxState = (typeof OUTBOX_STATES)[number];

/** Kind of what an operator asked for to see whether it arrives. */
export const TEST = 'test';

/** What is to be sent. Items of one subject go to a destination one after the other, in the order they came in. */
export interface OutboxDraft {
  channel: Channel;
  destination: string;
  subject: string;
  kind: string;
  /** JSON. */
  payload: string;
  /** POSIX ms. */
  createdTs: number;
}

/** An item whose turn it is. */
export interface OutboxItem extends OutboxDraft {
  id: number;
  /** Earlier ones. */
  attempts: number;
  nextTryTs: number;
}

/** How an item fared. */
export interface OutboxResult {
  state: OutboxState;
  message: string;
  /** When it was tried, POSIX ms. */
  ts: number;
  nextTryTs: number;
}

const channelOf = enumColumn(CHANNELS, 'webhook');
const stateOf = enumColumn(OUTBOX_STATES, 'failed');

interface ItemColumns {
  id: number;
  channel: string;
  destination: string;
  subject: string;
  kind: string;
  payload: string;
  created_ts: number | string;
  attempts: number;
  next_try_ts: number | string;
}

/** An item as operators see it. */
export interface DeliveryRow extends Omit<OutboxDraft, 'payload'> {
  id: number;
  attempts: number;
  state: OutboxState;
  /** What the last attempt came to; `null` before the first. */
  message: string | null;
  nextTryTs: number;
  finishedTs: number | null;
}

/** Puts items into the outbox, inside the caller's transaction. */
export function enqueue(runner: SqlRunner, drafts: readonly OutboxDraft[]): Promise<void> {
  return insertRows(runner, { table: 'outbox' }, drafts.map(rowOf));
}

function rowOf({ channel, destination, subject, kind, payload, createdTs }: OutboxDraft): InsertRow {
  return {
    channel,
    destination,
    subject: storableText(subject),
    kind,
    payload,
    created_ts: BigInt(createdTs),
    attempts: 0,
    next_try_ts: 0n,
    state: 'waiting',
  };
}

/** What waits, and what became of the rest. */
export interface OutboxCounts {
  waiting: number;
  /** Of those: tried without success. */
  struggling: number;
  /** Given up since the given time. */
  failed: number;
  /** Delivered since. */
  done: number;
  /** When the latest of those was, POSIX ms; `null` without one. */
  doneTs: number | null;
  /** What the last attempt that failed came to. */
  lastError: { destination: string; message: string } | null;
}

/** Rows of outbox. */
export class OutboxStore {
  constructor(private readonly database: Database) {}

  /** Puts one item in. Returns its number. */
  async add(draft: OutboxDraft): Promise<number> {
    const { channel, destination, subject, kind, payload, createdTs } = draft;
    const columns = { channel, destination, subject, kind, payload, createdTs: BigInt(createdTs) };
    const { id } = await this.database.client.outbox.create({
      data: { ...columns, nextTryTs: 0n, state: 'waiting' },
      select: { id: true },
    });
    return id;
  }

  /** Items by number, in any order. */
  async findRows(ids: readonly number[]): Promise<DeliveryRow[]> {
    const rows = await this.database.client.outbox.findMany({
      where: { id: { in: [...ids] } },
      omit: { payload: true },
    });
    return rows.map(({ createdTs, nextTryTs, finishedTs, channel, state, ...row }) => ({
      ...row,
      channel: channelOf(channel),
      state: stateOf(state),
      createdTs: Number(createdTs),
      nextTryTs: Number(nextTryTs),
      finishedTs: finishedTs === null ? null : Number(finishedTs),
    }));
  }

  /**
   * Items that are due, none of which has an earlier one of its subject before it. Those of a channel that only
   * another version knows are left to it.
   */
  async findDue(nowTs: number, limit: number): Promise<OutboxItem[]> {
    const rows = await this.database.plain.query<ItemColumns>(sql`
      SELECT id, channel, destination, subject, kind, payload, created_ts, attempts, next_try_ts FROM outbox o
      WHERE state = 'waiting' AND next_try_ts <= ${BigInt(nowTs)} AND channel IN (${listOf(CHANNELS)}) AND NOT EXISTS (
        SELECT 1 FROM outbox e WHERE e.channel = o.channel AND e.destination = o.destination
          AND e.subject = o.subject AND e.state = 'waiting' AND e.id < o.id)
      ORDER BY id LIMIT ${limit}`);
    return rows.map(({ channel, created_ts, next_try_ts, ...row }) => ({
      ...row,
      channel: channelOf(channel),
      createdTs: Number(created_ts),
      nextTryTs: Number(next_try_ts),
    }));
  }

  /** Takes an item until then: nobody else does before. `false`: another instance was faster. */
  async take({ id, nextTryTs }: OutboxItem, untilTs: number): Promise<boolean> {
    const taken = await this.database.plain.execute(sql`
      UPDATE outbox SET next_try_ts = ${BigInt(untilTs)}, attempts = attempts + 1
      WHERE id = ${id} AND state = 'waiting' AND next_try_ts = ${BigInt(nextTryTs)}`);
    return taken > 0;
  }

  async settle(
    runner: SqlRunner,
    id: number,
    { state, message, ts, nextTryTs }: OutboxResult,
  ): Promise<void> {
    const finishedTs = state === 'waiting' ? null : BigInt(ts);
    await runner.write(sql`
      UPDATE outbox SET state = ${state}, message = ${storableText(message).slice(0, 500)},
        next_try_ts = ${BigInt(nextTryTs)}, finished_ts = ${finishedTs} WHERE id = ${id}`);
  }

  /** Lets everything for a destination wait that long, for it does not answer. */
  async holdBack({ channel, destination }: OutboxDraft, untilTs: number): Promise<void> {
    await this.database.plain.execute(sql`
      UPDATE outbox SET next_try_ts = ${BigInt(untilTs)}
      WHERE channel = ${channel} AND destination = ${destination} AND state = 'waiting'
        AND next_try_ts < ${BigInt(untilTs)}`);
  }

  /** Gives the oldest up of what waits for a channel beyond the bound. Returns how many. */
  async dropBeyond(channel: Channel, maxWaiting: number, nowTs: number): Promise<number> {
    return this.database.plain.execute(sql`
      UPDATE outbox SET state = 'failed', finished_ts = ${BigInt(nowTs)}, message = 'Too much was waiting.'
      WHERE state = 'waiting' AND channel = ${channel} AND id <= (
        SELECT id FROM outbox WHERE state = 'waiting' AND channel = ${channel} ORDER BY id DESC LIMIT 1 OFFSET ${maxWaiting})`);
  }

  /** Deletes what was finished before, and of the rest the oldest beyond a number. Returns how many. */
  async prune(beforeTs: number, { maxRows, limit }: { maxRows: number; limit: number }): Promise<number> {
    return this.database.plain.execute(sql`
      DELETE FROM outbox WHERE id IN (
        SELECT id FROM outbox WHERE state IN ('done', 'failed') AND (finished_ts < ${BigInt(beforeTs)} OR id <= (
          SELECT id FROM outbox WHERE state IN ('done', 'failed') ORDER BY id DESC LIMIT 1 OFFSET ${maxRows}))
        ORDER BY id LIMIT ${limit})`);
  }

  async count(sinceTs: number): Promise<OutboxCounts> {
    const since = BigInt(sinceTs);
    const [row] = await this.database.plain.query<Record<string, number | string | null>>(sql`
      SELECT COALESCE(SUM(CASE WHEN state = 'waiting' THEN 1 ELSE 0 END), 0) AS waiting,
        COALESCE(SUM(CASE WHEN state = 'waiting' AND message IS NOT NULL THEN 1 ELSE 0 END), 0) AS struggling,
        COALESCE(SUM(CASE WHEN state = 'failed' AND finished_ts >= ${since} THEN 1 ELSE 0 END), 0) AS failed,
        COALESCE(SUM(CASE WHEN state = 'done' AND finished_ts >= ${since} THEN 1 ELSE 0 END), 0) AS done,
        COALESCE(MAX(CASE WHEN state = 'done' AND finished_ts >= ${since} THEN finished_ts ELSE 0 END), 0) AS done_ts
      FROM outbox WHERE channel <> 'notary' AND (kind <> ${TEST} OR state = 'done')`);
    const [last] = await this.database.plain.query<{ destination: string; message: string }>(sql`
      SELECT destination, message FROM outbox
      WHERE channel <> 'notary' AND kind <> ${TEST} AND message IS NOT NULL
        AND (state = 'waiting' OR (state = 'failed' AND finished_ts >= ${since}))
      ORDER BY id DESC LIMIT 1`);
    const at = (name: string): number => Number(row?.[name] ?? 0);
    return {
      waiting: at('waiting'),
      struggling: at('struggling'),
      failed: at('failed'),
      done: at('done'),
      doneTs: at('done_ts') || null,
      lastError: last ?? null,
    };
  }
}
