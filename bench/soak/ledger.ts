import { isDeepStrictEqual } from 'node:util';

/** What came of a request. */
export type Outcome =
  /** As expected. */
  | 'good'
  /** Refused with 502, or with 503 and `Retry-After`. */
  | 'away'
  /** No answer: the connection was refused, or broke. */
  | 'broken'
  /** Another answer than before, or one that nothing explains. */
  | 'wrong';

/** Remembers what was answered, and counts what came of everything that was asked. */
export class Ledger {
  readonly #answers = new Map<string, unknown>();
  readonly #counts = new Map<string, number>();
  /** The first wrong ones, in words. */
  readonly wrong: string[] = [];

  /** Compares with what was answered to the same question before. */
  good(kind: string, question: string, answer: unknown): void {
    const before = this.#answers.get(`${kind} ${question}`);
    if (before === undefined) this.#answers.set(`${kind} ${question}`, answer);
    else if (!isDeepStrictEqual(before, answer)) {
      this.fail(kind, `${question}: ${JSON.stringify(before)} became ${JSON.stringify(answer)}`);
      return;
    }
    this.count(kind, 'good');
  }

  fail(kind: string, what: string): void {
    this.count(kind, 'wrong');
    if (this.wrong.length < 20) this.wrong.push(`${kind}: ${what}`);
  }

  count(kind: string, outcome: Outcome): void {
    const name = `${kind} ${outcome}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  counted(outcome: Outcome): number {
    return [...this.#counts].reduce((sum, [name, count]) => sum + (name.endsWith(outcome) ? count : 0), 0);
  }

  /** Questions of a kind that were answered. */
  answered(kind: string): string[] {
    return [...this.#answers.keys()]
      .filter((key) => key.startsWith(`${kind} `))
      .map((key) => key.slice(kind.length + 1));
  }

  /** Counts by kind and outcome, for the report. */
  counts(): Record<string, number> {
    return Object.fromEntries([...this.#counts].toSorted(([a], [b]) => a.localeCompare(b)));
  }
}
