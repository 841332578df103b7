import { HOUR_MS } from '../base/clock.js';

/** The same error run after run leaves one row and one log line an hour. */
const REPEAT_MS = HOUR_MS;

interface KnownFailure {
  kind: string;
  /** When it was told. */
  ts: number;
  /** Runs that met it since and were not told. */
  untold: number;
}

/** What went wrong with jobs lately, so that nobody has to read the same again and again. */
export class RepeatedFailureFilter {
  readonly #latest = new Map<string, KnownFailure>();

  /** Whether an error of a job was not told within the last hour; texts that differ in numbers are the same. */
  isNew(job: string, text: string, nowTs: number): boolean {
    const known = this.#latest.get(job);
    return known?.kind !== kindOf(text) || Math.abs(nowTs - known.ts) >= REPEAT_MS;
  }

  /**
   * Notes how a run ended, `null` for well. When that is an error to be told now, returns what to add to it: how
   * often it was met since it was last told, empty when it is new. Otherwise `null`.
   */
  note(job: string, text: string | null, nowTs: number): string | null {
    const known = this.#latest.get(job);
    if (text === null) {
      this.#latest.delete(job);
      return null;
    }
    const kind = kindOf(text);
    if (known !== undefined && !this.isNew(job, text, nowTs)) {
      known.untold += 1;
      return null;
    }
    this.#latest.set(job, { kind, ts: nowTs, untold: 0 });
    return known?.kind === kind ? ` (${known.untold + 1} runs ended so since the last one told.)` : '';
  }
}

function kindOf(text: string): string {
  return text.replace(/\d+/g, '0');
}
