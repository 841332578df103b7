import { storableText } from '../../base/text/strings.js';
import type { Database } from '../../store/db.js';
import { plainRow } from '../../store/plain-row.js';

/** More are not counted. */
const MAX_COUNTED = 5000;
/** Servers, acknowledgements and alarms that a list looks at, the latest first; alarms that wait are bounded. */
export const MAX_ALARMS = 900;
/** Alarms of the servers of one question together; the events of a server list all of them. */
const MAX_SHOWN = 200;

export type OpenAlarms = Awaited<ReturnType<typeof openAlarms>>;

/** How many servers have an alarm that nobody has acknowledged, and the one whose alarm is the latest. */
export async function openAlarms({ client: { remoteServer } }: Database) {
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

/** Servers with the number of their first open alarm, the latest first, at most 900; without names of all servers. */
export async function firstAlarms({ client }: Database, serverNames?: readonly string[]) {
  const servers = await client.remoteServer.findMany({
    where: { alarmSeq: { not: null }, ...(serverNames && { serverName: { in: [...serverNames] } }) },
    orderBy: { alarmSeq: 'desc' },
    take: MAX_ALARMS,
    select: { serverName: true, alarmSeq: true },
  });
  return servers.map(({ serverName, alarmSeq }) => ({ serverName, fromSeq: alarmSeq ?? Infinity }));
}

/** Numbers of the events that are to be acknowledged, newest first. */
export async function findAlarms(database: Database, serverNames: readonly string[]): Promise<number[]> {
  const found: number[] = [];
  for (const { serverName, fromSeq } of await firstAlarms(database, serverNames)) {
    const rows = await database.client.keyEvent.findMany({
      where: { serverName, alarm: true, seq: { gte: fromSeq } },
      orderBy: { seq: 'desc' },
      take: MAX_SHOWN,
      select: { seq: true },
    });
    found.push(...rows.map(({ seq }) => seq));
  }
  return found.toSorted((a, b) => b - a).slice(0, MAX_SHOWN);
}

/** Who acknowledged the alarms of a server up to an event, and why. */
export interface AcknowledgeRequest {
  serverName: string;
  throughSeq: number;
  actor: string;
  reason: string;
  ts: number;
}

/** Acknowledged alarms: those of a server from one event to another. */
export type Acknowledgement = Awaited<ReturnType<typeof findAcknowledgements>>[number];

/** Acknowledges the alarms of a server up to an event; `false` when there are none up to that one. */
export function acknowledgeAlarms(
  { client }: Database,
  { serverName, throughSeq, actor, reason, ts }: AcknowledgeRequest,
): Promise<boolean> {
  return client.$transaction(async ({ alarmAcknowledgement, keyEvent, remoteServer }) => {
    // Locks the row: no alarm is dropped or raised meanwhile.
    const [server] = await remoteServer.updateManyAndReturn({
      where: { serverName, alarmSeq: { lte: throughSeq } },
      data: { alarmCount: { increment: 0 } },
    });
    const fromSeq = server?.alarmSeq ?? null;
    if (fromSeq === null) return false;
    const words = { actor: storableText(actor), reason: storableText(reason) };
    await alarmAcknowledgement.create({ data: { serverName, fromSeq, throughSeq, ts, ...words } });
    const left = { serverName, alarm: true, seq: { gt: throughSeq } };
    const next = await keyEvent.findFirst({ where: left, orderBy: { seq: 'asc' }, select: { seq: true } });
    const data = { alarmSeq: next?.seq ?? null, alarmCount: await keyEvent.count({ where: left }) };
    await remoteServer.updateMany({ where: { serverName }, data });
    return true;
  });
}

/** The acknowledgements of servers, oldest first. */
export async function findAcknowledgements({ client }: Database, serverNames: readonly string[]) {
  const rows = await client.alarmAcknowledgement.findMany({
    where: { serverName: { in: [...serverNames] } },
    orderBy: { id: 'asc' },
    omit: { id: true },
  });
  return rows.map(plainRow);
}
