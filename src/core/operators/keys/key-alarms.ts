import type { Database } from '../../store/db.js';
import { countUpTo } from '../../store/lists/count-up-to.js';
import { ENGINE_SQL } from '../../store/sql/engine-sql.js';
import { listOf, sql } from '../../store/sql/sql.js';

/** Servers with an alarm that nobody has acknowledged. */
export interface OpenAlarms {
  servers: number;
  /** The one whose alarm is the latest; `null`: there are none. */
  latest: string | null;
}

/** More are not counted. */
const MAX_COUNTED = 5000;
/** Alarms of the servers of one question together; the events of a server list all of them. */
const MAX_SHOWN = 200;

export async function openAlarms(database: Database): Promise<OpenAlarms> {
  const where = { alarmSeq: { not: null } };
  const [servers, latest] = await Promise.all([
    countUpTo(database, { table: 'remote_server', where: sql`alarm_seq IS NOT NULL` }, MAX_COUNTED),
    database.client.remoteServer.findFirst({
      where,
      orderBy: { alarmSeq: 'desc' },
      select: { serverName: true },
    }),
  ]);
  return { servers, latest: latest?.serverName ?? null };
}

/** Numbers of the events that are to be acknowledged, newest first. */
export async function findAlarms({ plain }: Database, serverNames: readonly string[]): Promise<number[]> {
  const rows = await plain.query<{ seq: number }>(sql`
    SELECT e.seq FROM key_event e JOIN remote_server s ON s.server_name = e.server_name
    WHERE s.server_name IN (${listOf(serverNames)}) AND e.alarm = TRUE AND e.seq >= s.alarm_seq
    ORDER BY e.seq DESC LIMIT ${MAX_SHOWN}`);
  return rows.map(({ seq }) => seq);
}

/**
 * Acknowledges the alarms of a server up to an event; `false` when there are none up to that one. Those that gave way
 * since the last time are noted, since the mark goes past them.
 */
export async function acknowledgeAlarms(
  { plain, engine }: Database,
  serverName: string,
  throughSeq: number,
): Promise<boolean> {
  const alarms = sql`FROM key_event WHERE server_name = ${serverName} AND alarm = TRUE`;
  return plain.transaction(async (runner) => {
    // No alarm gives way or is raised between the two statements.
    await runner.query(sql`
      SELECT server_name FROM remote_server WHERE server_name = ${serverName} ${ENGINE_SQL[engine].hold}`);
    await runner.write(sql`INSERT INTO dropped_alarm (seq)
      SELECT e.seq FROM key_event e JOIN remote_server s ON s.server_name = e.server_name
      WHERE s.server_name = ${serverName} AND e.alarm = TRUE
      AND e.seq > COALESCE(s.acknowledged_seq, 0) AND e.seq < s.alarm_seq
      ON CONFLICT (seq) DO NOTHING`);
    const changed = await runner.execute(sql`UPDATE remote_server SET
        acknowledged_seq = (SELECT MAX(seq) ${alarms} AND seq <= ${throughSeq}),
        alarm_seq = (SELECT MIN(seq) ${alarms} AND seq > ${throughSeq}),
        alarm_count = (SELECT COUNT(*) ${alarms} AND seq > ${throughSeq})
      WHERE server_name = ${serverName} AND alarm_seq <= ${throughSeq}`);
    return changed > 0;
  });
}
