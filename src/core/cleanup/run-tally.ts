import { fileErrorCode } from '../media/storage-error.js';

/** Counts what a run does, and stops it between two steps. */
export class RunTally {
  readonly #counts = new Map<string, number>();
  readonly #fileErrors = new Map<string, number>();
  bytes = 0;
  /** What was looked at without being changed. */
  examined = 0;

  /** `keepOn` renews the right to run; both it and the signal are asked between steps. */
  constructor(
    private readonly signal: AbortSignal | undefined,
    private readonly keepOn: () => Promise<boolean>,
  ) {}

  /** Call between two batches: throws `RunCancelled` when the run must end. */
  async checkpoint(): Promise<void> {
    if (this.signal?.aborted === true) throw new RunCancelled('cancelled');
    if (!(await this.keepOn())) throw new RunCancelled('running_elsewhere');
  }

  /** Counts something that was done. */
  add(name: string, count = 1): void {
    if (count > 0) this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }

  /** Counts a file that could not be removed; its row stays for the next run. */
  keep(error: unknown): void {
    this.add('kept');
    const code = fileErrorCode(error) || 'unknown error';
    this.#fileErrors.set(code, (this.#fileErrors.get(code) ?? 0) + 1);
  }

  get counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  /** One sentence on files that could not be removed, or `null`. */
  get fileTrouble(): string | null {
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
}
