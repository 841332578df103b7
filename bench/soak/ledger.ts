import { isDeepStrictEqual } from 'node:util';

/** What came of a request. */
export type Outcome =
  /** As expected. */
  | 'good'
  /** Refused as whoever asks is told to expect while something is away. */
  | 'refused'
  /** No answer while the server was killed. */
  | 'broken'
  /** Another answer than before, or one that nothing explains. */
  | 'wrong';

const MAX_TOLD = 20;

/** Remembers what was answered, and counts what came of everything that was asked. */
export class Ledger {
  readonly #answers = new Map<string, unknown>();
  readonly #counts = new Map<string, number>();
  /** The first wrong ones, in words. */
  readonly wrong: string[] = [];

  /** Compares with what was answered to the same question before. */
  good(kind: string, question: string, answer: unknown): void {
    const before = this.#answers.get(question);
    if (before === undefined) this.#answers.set(question, answer);
    else if (!isDeepStrictEqual(before, answer)) {
      this.fail(kind, `${question}: ${JSON.stringify(before)} became ${JSON.stringify(answer)}`);
      return;
    }
    this.count(kind, 'good');
  }

  fail(kind: string, what: string): void {
    this.count(kind, 'wrong');
    if (this.wrong.length < MAX_TOLD) this.wrong.push(`${new Date().toISOString()} ${kind}: ${what}`);
  }

  count(kind: string, outcome: Outcome): void {
    const name = `${kind}: ${outcome}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  counted(outcome: Outcome): number {
    return [...this.#counts].reduce(
      (sum, [name, count]) => sum + (name.endsWith(`: ${outcome}`) ? count : 0),
      0,
    );
  }

  /** What was answered to questions that begin so, without that beginning. */
  answered(beginning: 'key' | 'preview'): string[] {
    return [...this.#answers.keys()]
      .filter((question) => question.startsWith(`${beginning} `))
      .map((question) => question.slice(beginning.length + 1));
  }

  /** From now on nobody counts on that. */
  forget(question: string): void {
    this.#answers.delete(question);
  }

  /** From now on nobody counts on what is kept for an hour only. */
  forgetPreviews(): void {
    for (const question of this.#answers.keys())
      if (!question.startsWith('key ')) this.#answers.delete(question);
  }

  /** Counts by kind and outcome, for the report. */
  counts(): Record<string, number> {
    return Object.fromEntries([...this.#counts].toSorted(([a], [b]) => a.localeCompare(b)));
  }
}
