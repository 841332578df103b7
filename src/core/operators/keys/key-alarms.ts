import type { Database } from '../../store/db.js';

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

export async function openAlarms({ client: { remoteServer } }: Database): Promise<OpenAlarms> {
  const where = { alarmSeq: { not: null } };
  const [servers, latest] = await Promise.all([
    remoteServer.count({ where, orderBy: { alarmSeq: 'desc' }, take: MAX_COUNTED }),
    remoteServer.findFirst({
      where,
      orderBy: { alarmSeq: 'desc' },
      select: { serverName: true },
    }),
  ]);
  return { servers, latest: latest?.serverName ?? null };
}

/** Numbers of the events that are to be acknowledged, newest first. */
export async function findAlarms({ client }: Database, serverNames: readonly string[]): Promise<number[]> {
  const servers = await client.remoteServer.findMany({
    where: { serverName: { in: [...serverNames] }, alarmSeq: { not: null } },
    select: { serverName: true, alarmSeq: true },
  });
  const found: number[] = [];
  for (const { serverName, alarmSeq } of servers) {
    const rows = await client.keyEvent.findMany({
      where: { serverName, alarm: true, seq: { gte: alarmSeq ?? 0 } },
      orderBy: { seq: 'desc' },
      take: MAX_SHOWN,
      select: { seq: true },
    });
    found.push(...rows.map(({ seq }) => seq));
  }
  return found.toSorted((a, b) => b - a).slice(0, MAX_SHOWN);
}

/**
 * Acknowledges the alarms of a server up to an event; `false` when there are none up to that one. Those that gave way
 * since the last time are noted, since the mark goes past them.
 */
export function acknowledgeAlarms(
  { client }: Database,
  serverName: string,
  throughSeq: number,
): Promise<boolean> {
  return client.$transaction(async ({ droppedAlarm, keyEvent, remoteServer }) => {
    // Locks the row: no alarm gives way or is raised meanwhile.
    const [server] = await remoteServer.updateManyAndReturn({
      where: { serverName, alarmSeq: { lte: throughSeq } },
      data: { alarmCount: { increment: 0 } },
    });
    if (server === undefined) return false;
    const { alarmSeq, acknowledgedSeq } = server;
    const alarms = { serverName, alarm: true };
    const select = { seq: true };
    const dropped = await keyEvent.findMany({
      where: { ...alarms, seq: { gt: acknowledgedSeq ?? 0, lt: alarmSeq ?? 0 } },
      select,
    });
    for (const { seq } of dropped) await droppedAlarm.upsert({ where: { seq }, create: { seq }, update: {} });
    const last = await keyEvent.findFirst({
      where: { ...alarms, seq: { lte: throughSeq } },
      orderBy: { seq: 'desc' },
      select,
    });
    const left = { ...alarms, seq: { gt: throughSeq } };
    const next = await keyEvent.findFirst({ where: left, orderBy: { seq: 'asc' }, select });
    await remoteServer.updateMany({
      where: { serverName },
      data: {
        acknowledgedSeq: last?.seq ?? null,
        alarmSeq: next?.seq ?? null,
        alarmCount: await keyEvent.count({ where: left }),
      },
    });
    return true;
  });
}
