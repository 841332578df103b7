import { errorCode } from '../base/errors/api-error.js';

/** Numbers by name: what a run did. */
export type RunCounts = Readonly<Record<string, number>>;

/** Counts what a run does, tells how far it is, and stops it between two steps. */
export class RunProgress {
  readonly #counts = new Map<string, number>();
  readonly #fileErrors = new Map<string, number>();
  /** Bytes freed on disk. */
  bytes = 0;
  /** How much there is to do and how much is done, in whatever the work counts; `null` while nobody knows. */
  total: number | null = null;
  done = 0;

  /** The reason of `signal` is a key of `RUN_REASONS`. */
  constructor(readonly signal: AbortSignal) {}

  /** Call between two batches: throws when the run must end; what it has done stays done. */
  checkpoint(): void {
    this.signal.throwIfAborted();
  }

  /** Counts something that was done. */
  add(name: string, count = 1): void {
    if (count > 0) this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }

  /** Counts a file that could not be removed; its row stays for the next run. */
  keep(error: unknown): void {
    this.add('kept');
    const code = errorCode(error) || 'unknown error';
    this.#fileErrors.set(code, (this.#fileErrors.get(code) ?? 0) + 1);
  }

  /** How far the work is, 0 to 1; `null` while nobody knows. */
  get fraction(): number | null {
    if (this.total === null || this.total <= 0) return null;
    return Math.min(1, this.done / this.total);
  }

  get counts(): RunCounts {
    return Object.fromEntries(this.#counts);
  }

  /** One sentence on files that could not be removed, or `null`. */
  get fileErrorText(): string | null {
    const parts = [...this.#fileErrors].map(([code, count]) => `${count} × ${code}`);
    return parts.length === 0 ? null : `Files could not be removed: ${parts.join(', ')}`;
  }

  /** Whether anything was done beside meeting files that cannot be removed. */
  get didSomething(): boolean {
    return [...this.#counts.keys()].some((name) => name !== 'kept');
  }
}
