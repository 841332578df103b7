import { HOUR_MS } from '../base/clock.js';

/** The same trouble run after run leaves one row and one log line an hour. */
const REPEAT_MS = HOUR_MS;

interface Trouble {
  kind: string;
  /** When it was told. */
  ts: number;
  /** Runs that met it since and were not told. */
  untold: number;
}

/** What went wrong with jobs lately, so that nobody has to read the same again and again. */
export class RunTroubles {
  readonly #latest = new Map<string, Trouble>();

  /** Whether a trouble of a job was not told within the last hour; texts that differ in numbers are the same. */
  isNew(job: string, text: string, nowTs: number): boolean {
    const trouble = this.#latest.get(job);
    return trouble?.kind !== kindOf(text) || Math.abs(nowTs - trouble.ts) >= REPEAT_MS;
  }

  /**
   * Notes how a run ended, `null` for well. When that is a trouble to be told now, returns what to add to it: how
   * often it was met since it was last told, empty when it is new. Otherwise `null`.
   */
  note(job: string, text: string | null, nowTs: number): string | null {
    const trouble = this.#latest.get(job);
    if (text === null) {
      this.#latest.delete(job);
      return null;
    }
    const kind = kindOf(text);
    if (trouble !== undefined && !this.isNew(job, text, nowTs)) {
      trouble.untold += 1;
      return null;
    }
    this.#latest.set(job, { kind, ts: nowTs, untold: 0 });
    return trouble?.kind === kind ? ` (${trouble.untold + 1} runs ended so since the last one told.)` : '';
  }
}

function kindOf(text: string): string {
  return text.replace(/\d+/g, '0');
}
