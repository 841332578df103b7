import { randomBytes } from 'node:crypto';

import { isRecord } from '../../base/json/is-record.js';
import { toPlainJson } from '../../base/json/plain-json.js';
import { storableJsonText, storableText } from '../../base/text/storable-text.js';
import { hostOfUrl, isHostMeant, readHostPattern } from '../../base/text/url-host.js';
import { DAY_MS, HOUR_MS, type Clock } from '../../base/clock.js';
import type { Database, KeptTraceRow } from '../../store/db.js';
import type { ServerDiagnosis } from '../diagnosis/diagnose-server.js';
import type { TrialResult } from '../previews/trial/preview-trial.js';

/** What a try or a diagnosis came to. */
export type TraceContent =
  | { kind: 'preview'; result: TrialResult }
  | { kind: 'server'; diagnosis: ServerDiagnosis };

export interface KeptTrace {
  id: string;
  /** Name of the operator who ran it. */
  actor: string;
  createdTs: number;
  /** `null` until it is shared. */
  sharedTs: number | null;
  expiresTs: number;
  content: TraceContent;
}

export interface KeptTracesOptions {
  database: Database;
  clock: Clock;
  /** Rows, and bytes of all of them. */
  maxTraces?: number;
  maxBytes?: number;
}

const ID_BYTES = 16;
const ID = /^[\w-]{22,32}$/;
/** Long enough to decide whether others should see it. */
const UNSHARED_MS = HOUR_MS;
const SHARED_MS = 30 * DAY_MS;
const MAX_TRACES = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_TRACE_BYTES = 512 * 1024;
const MAX_SUBJECT = 2_000;

/**
 * Tries and diagnoses, each kept for an hour, and for 30 days once it is shared. Where there is no more room the oldest
 * that nobody shared make some; a shared one never goes before its time.
 */
export class KeptTraces {
  constructor(private readonly options: KeptTracesOptions) {}

  /** Keeps one; `null` when it is too large, or there is no room. */
  async keep(content: TraceContent, actor: string): Promise<string | null> {
    const { database, clock } = this.options;
    const text = storableJsonText(plain(content));
    const sizeBytes = Buffer.byteLength(text);
    if (sizeBytes > MAX_TRACE_BYTES || !(await this.#makeRoom(sizeBytes))) return null;
    const createdTs = clock.now();
    const subject = content.kind === 'preview' ? content.result.url : content.diagnosis.serverName;
    // Commands take it: base64url may begin as an option does.
    const id = randomBytes(ID_BYTES).toString('hex');
    await database.client.keptTrace.create({
      data: {
        id,
        kind: content.kind,
        subject: storableText(subject.slice(0, MAX_SUBJECT)),
        actor,
        createdTs,
        expiresTs: createdTs + UNSHARED_MS,
        sizeBytes,
        content: text,
      },
    });
    return id;
  }

  /** Keeps it for 30 days from now, and shows it to everybody signed in; `false` when it is gone. */
  async share(id: string): Promise<boolean> {
    if (!ID.test(id)) return false;
    const { database, clock } = this.options;
    const sharedTs = clock.now();
    const { count } = await database.client.keptTrace.updateMany({
      where: { id, expiresTs: { gt: sharedTs } },
      data: { sharedTs, expiresTs: sharedTs + SHARED_MS },
    });
    return count === 1;
  }

  /** Also one that is not shared; `null` when it is gone. */
  async find(id: string): Promise<KeptTrace | null> {
    if (!ID.test(id)) return null;
    const { database, clock } = this.options;
    const row = await database.client.keptTrace.findFirst({ where: { id } });
    return row === null || Number(row.expiresTs) <= clock.now() ? null : keptTraceOf(row);
  }

  /** The latest of hosts, as `readHostPattern`, newest first. */
  async findLatest(
    host: string,
    { limit, isSharedOnly }: { limit: number; isSharedOnly: boolean },
  ): Promise<KeptTrace[]> {
    const { database, clock } = this.options;
    const hosts = readHostPattern(host);
    const rows = await database.client.keptTrace.findMany({
      where: { expiresTs: { gt: clock.now() }, ...(isSharedOnly ? { sharedTs: { not: null } } : {}) },
      select: { id: true, kind: true, subject: true },
      orderBy: [{ createdTs: 'desc' }, { id: 'asc' }],
    });
    const meant = rows.filter(({ kind, subject }) =>
      isHostMeant(hosts, hostOfUrl(kind === 'preview' ? subject : `https://${subject}/`)),
    );
    const found = await database.client.keptTrace.findMany({
      where: { id: { in: meant.slice(0, limit).map(({ id }) => id) } },
      orderBy: [{ createdTs: 'desc' }, { id: 'asc' }],
    });
    return found.map(keptTraceOf);
  }

  /** Deletes those whose time is over; returns how many. */
  async prune(beforeTs: number, limit: number): Promise<number> {
    const { client } = this.options.database;
    const old = await client.keptTrace.findMany({
      where: { expiresTs: { lte: beforeTs } },
      select: { id: true },
      take: limit,
    });
    const { count } = await client.keptTrace.deleteMany({ where: { id: { in: old.map(({ id }) => id) } } });
    return count;
  }

  async #makeRoom(bytes: number): Promise<boolean> {
    const { database, maxTraces = MAX_TRACES, maxBytes = MAX_BYTES } = this.options;
    const { keptTrace } = database.client;
    const { _count: rows, _sum: sum } = await keptTrace.aggregate({
      _count: true,
      _sum: { sizeBytes: true },
    });
    let over = { rows: rows + 1 - maxTraces, bytes: (sum.sizeBytes ?? 0) + bytes - maxBytes };
    if (over.rows <= 0 && over.bytes <= 0) return true;
    const unshared = await keptTrace.findMany({
      where: { sharedTs: null },
      select: { id: true, sizeBytes: true },
      orderBy: { createdTs: 'asc' },
    });
    const gone: string[] = [];
    for (const { id, sizeBytes } of unshared) {
      if (over.rows <= 0 && over.bytes <= 0) break;
      gone.push(id);
      over = { rows: over.rows - 1, bytes: over.bytes - sizeBytes };
    }
    if (over.rows > 0 || over.bytes > 0) return false;
    await keptTrace.deleteMany({ where: { id: { in: gone }, sharedTs: null } });
    return true;
  }
}

function keptTraceOf(row: KeptTraceRow): KeptTrace {
  return {
    id: row.id,
    actor: row.actor,
    createdTs: Number(row.createdTs),
    sharedTs: row.sharedTs === null ? null : Number(row.sharedTs),
    expiresTs: Number(row.expiresTs),
    content: contentOf(row.content),
  };
}

function plain(content: TraceContent): unknown {
  if (content.kind === 'preview') return content;
  const { published } = content.diagnosis;
  const diagnosis = { ...content.diagnosis, published: published === null ? null : toPlainJson(published) };
  return { kind: content.kind, diagnosis };
}

function contentOf(text: string): TraceContent {
  const value: unknown = JSON.parse(text);
  if (isContent(value)) return value;
  throw new Error('a kept trace is neither of a preview nor of a server');
}

/** Only `keep` writes them. */
function isContent(value: unknown): value is TraceContent {
  return isRecord(value) && (value['kind'] === 'preview' || value['kind'] === 'server');
}
