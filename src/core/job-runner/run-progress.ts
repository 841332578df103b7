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

  /** `keepOn` renews the right to run; both it and the signal are asked between steps. */
  constructor(
    readonly signal: AbortSignal,
    private readonly keepOn: () => Promise<boolean>,
  ) {}

  /** Call between two batches: throws `RunCancelled` when the run must end. */
  async checkpoint(): Promise<void> {
    if (this.signal.aborted) throw new RunCancelled(String(this.signal.reason));
    if (!(await this.keepOn())) throw new RunCancelled('running_elsewhere');
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
    if (this.#fileErrors.size === 0) return null;
    const parts = [...this.#fileErrors].map(([code, count]) => `${count} × ${code}`);
    return `Files could not be removed: ${parts.join(', ')}`;
  }

  /** Whether anything was done beside meeting files that cannot be removed. */
  get didSomething(): boolean {
    return [...this.#counts.keys()].some((name) => name !== 'kept');
  }
}

/** Ends a run early; what it has done stays done. */
export class RunCancelled extends Error {
  override readonly name = 'RunCancelled';

  /** `reason` is a key of `RUN_REASONS`. */
  constructor(readonly reason: string) {
    super(reason);
  }
}
