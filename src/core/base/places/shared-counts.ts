/** What was counted of one asker: the name of the limit, the asker, how often. */
export type Counted = readonly [limit: string, asker: string, times: number];

/** Those beyond it are counted where they ask. */
const MAX_COUNTED = 10_000;

/**
 * What limits count on this instance, gathered for others, and what others counted for them. Limits join with their
 * names; for an instance that is alone nothing is gathered.
 */
export class SharedCounts {
  readonly #limits = new Map<string, (asker: string, times: number) => void>();
  #counted = new Map<string, { limit: string; asker: string; times: number }>();

  constructor(private readonly isShared: boolean) {}

  /** `onElsewhere` is told what others counted. Returns what notes that something was counted here. */
  join(
    limit: string,
    onElsewhere: (asker: string, times: number) => void,
  ): (asker: string, times?: number) => void {
    if (!this.isShared) return () => undefined;
    this.#limits.set(limit, onElsewhere);
    return (asker, times = 1) => this.#note(limit, asker, times);
  }

  /** What was counted here since the last call. */
  drain(): Counted[] {
    const counted = Array.from(this.#counted.values(), ({ limit, asker, times }): Counted => [
      limit,
      asker,
      times,
    ]);
    this.#counted = new Map();
    return counted;
  }

  /** Counts what others did; limits that this instance does not know are left out. */
  receive(counted: readonly Counted[]): void {
    for (const [limit, asker, times] of counted) this.#limits.get(limit)?.(asker, times);
  }

  #note(limit: string, asker: string, times: number): void {
    const key = `${limit} ${asker}`;
    const known = this.#counted.get(key);
    if (known !== undefined) known.times += times;
    else if (this.#counted.size < MAX_COUNTED) this.#counted.set(key, { limit, asker, times });
  }
}
