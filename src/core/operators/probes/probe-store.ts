import type { Database } from '../../store/db.js';
import { storableText } from '../../base/text/storable-text.js';
import type { Finding } from '../overview/health/health-check.js';

/** A finding with its time, POSIX ms. */
export type ProbeFinding = Finding & { provedTs: number };

const STATES: readonly Finding['state'][] = ['ok', 'warning', 'failed', 'unproved'];

/** What probes last found; rows of health_probe. */
export class ProbeStore {
  constructor(private readonly database: Database) {}

  /** The latest finding about this subject; `null`: none. */
  async find(key: string, subject: string): Promise<ProbeFinding | null> {
    const row = await this.database.client.healthProbe.findFirst({ where: { key } });
    const state = STATES.find((known) => known === row?.state);
    if (row === null || state === undefined || row.subject !== storableText(subject)) return null;
    return {
      state,
      message: row.message,
      advice: row.advice,
      href: row.href,
      provedTs: Number(row.provedTs),
    };
  }

  async save(key: string, subject: string, { state, provedTs, ...found }: ProbeFinding): Promise<void> {
    const columns = {
      subject: storableText(subject),
      state,
      message: storableText(found.message),
      advice: found.advice === null ? null : storableText(found.advice),
      href: found.href,
      provedTs: BigInt(provedTs),
    };
    await this.database.client.healthProbe.upsert({
      where: { key },
      create: { key, ...columns },
      update: columns,
    });
  }
}
