import { HOUR_MS } from '../clock.js';

/** The same trouble run after run leaves one row and one log line an hour. */
const REPEAT_MS = HOUR_MS;

/** What went wrong with jobs lately, so that nobody has to read the same again and again. */
export class RunTroubles {
  readonly #latest = new Map<string, { text: string; ts: number }>();

  /** Whether a trouble of a job was not told within the last hour. */
  isNew(job: string, text: string, nowTs: number): boolean {
    const trouble = this.#latest.get(job);
    return trouble?.text !== text || Math.abs(nowTs - trouble.ts) >= REPEAT_MS;
  }

  /** Notes how a run ended, `null` for well; returns whether that is a new trouble. */
  note(job: string, text: string | null, nowTs: number): boolean {
    if (text === null) this.#latest.delete(job);
    const isNew = text !== null && this.isNew(job, text, nowTs);
    if (isNew) this.#latest.set(job, { text, ts: nowTs });
    return isNew;
  }
}
