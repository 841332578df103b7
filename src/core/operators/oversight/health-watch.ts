import { DAY_MS, MINUTE_MS, type Clock } from '../../base/clock.js';
import type { Database } from '../../store/db.js';
import { insertRows } from '../../store/sql/insert-rows.js';
import type { SqlRunner } from '../../store/sql/plain-sql.js';
import { sql } from '../../store/sql/sql.js';
import type { HealthCheck } from '../overview/health/health-check.js';
import { enqueue } from './outbox/outbox-store.js';
import type { Webhook } from './outbox/webhook-carrier.js';

export interface HealthWatchOptions {
  database: Database;
  clock: Clock;
  /** Of this process. */
  instance: string;
  /** Our own name, for receivers. */
  serverName: string;
  webhooks(): readonly Webhook[];
  health(): Promise<readonly HealthCheck[]>;
}

/** What an instance found longer ago does not count: it is gone. */
const FOUND_LATELY_MS = 3 * MINUTE_MS;
/** Stands for what webhooks were told. */
const TOLD = '';
/** Whether deliveries fail is not told by a delivery. */
export const DELIVERIES_LINE = 'deliveries';

type Colour = 'red' | 'clear';

/**
 * Tells webhooks of lines of the health list that turn red, and of those that recover. A line is red when an instance
 * finds it failed, and has recovered when all of them find it works. Of several instances one tells.
 */
export class HealthWatch {
  /** Setting alerts.quiet_time. */
  quietTimeMs = 0;

  constructor(private readonly options: HealthWatchOptions) {}

  /** Looks once. Rejects when the store is away. */
  async look(): Promise<void> {
    const lines = (await this.options.health()).filter(({ key }) => key !== DELIVERIES_LINE);
    const colours = await this.#share(lines);
    for (const line of lines) {
      const colour = colours.get(line.key);
      if (colour !== undefined) await this.#tell(line, colour);
    }
  }

  /** Leaves what this instance finds, and takes what all of them do. Lines of which nobody can say are absent. */
  async #share(lines: readonly HealthCheck[]): Promise<Map<string, Colour>> {
    const { database, clock, instance } = this.options;
    const nowTs = clock.now();
    const latest = 'ON CONFLICT (key, instance) DO UPDATE SET state = excluded.state, ts = excluded.ts';
    await database.plain.transaction(async (runner) => {
      await insertRows(
        runner,
        { table: 'health_state', conflict: latest },
        lines.map(({ key, state }) => ({ key, instance, state, ts: BigInt(nowTs) })),
      );
      await runner.write(sql`
        DELETE FROM health_state WHERE instance <> ${TOLD} AND ts < ${BigInt(nowTs - DAY_MS)}`);
    });
    const rows = await database.plain.query<{ key: string; state: string }>(sql`
      SELECT key, state FROM health_state
      WHERE instance <> ${TOLD} AND ts > ${BigInt(nowTs - FOUND_LATELY_MS)}`);
    const states = new Map<string, string[]>();
    for (const { key, state } of rows) states.set(key, [...(states.get(key) ?? []), state]);
    return new Map(
      [...states].flatMap(([key, found]): [string, Colour][] => {
        if (found.includes('failed')) return [[key, 'red']];
        return found.every((state) => state === 'ok' || state === 'warning') ? [[key, 'clear']] : [];
      }),
    );
  }

  /** The one row of what was told decides who tells, and how soon. */
  async #tell(line: HealthCheck, colour: Colour): Promise<void> {
    const { database, clock } = this.options;
    const nowTs = clock.now();
    await database.plain.transaction(async (runner) => {
      if (colour === 'red') await this.#begin(runner, line.key);
      const changed = await runner.execute(sql`
        UPDATE health_state SET state = ${colour}, ts = ${BigInt(nowTs)}
        WHERE key = ${line.key} AND instance = ${TOLD} AND state <> ${colour}
          AND ts <= ${BigInt(nowTs - this.quietTimeMs)}`);
      if (changed > 0) await enqueue(runner, this.#drafts(line, colour, nowTs));
    });
  }

  async #begin(runner: SqlRunner, key: string): Promise<void> {
    await insertRows(runner, { table: 'health_state', conflict: 'ON CONFLICT (key, instance) DO NOTHING' }, [
      { key, instance: TOLD, state: 'clear', ts: 0n },
    ]);
  }

  #drafts({ key, title, message, advice }: HealthCheck, colour: Colour, nowTs: number) {
    const payload = JSON.stringify({
      type: 'health',
      notary: this.options.serverName,
      ts: nowTs,
      line: key,
      state: colour === 'red' ? 'failed' : 'recovered',
      title,
      message: colour === 'red' ? message : `${title} works again.`,
      advice: colour === 'red' ? advice : null,
    });
    return this.options
      .webhooks()
      .filter(({ tells }) => tells.includes('health'))
      .map(({ name }) => ({
        channel: 'webhook' as const,
        destination: name,
        subject: `health:${key}`,
        kind: colour === 'red' ? 'health_failed' : 'health_recovered',
        payload,
        createdTs: nowTs,
      }));
  }
}
