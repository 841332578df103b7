import { setImmediate } from 'node:timers/promises';

export interface BatcherOptions<Item, Result> {
  maxItems: number;
  /** How long a batch right after another one waits for more items. */
  gatherMs: number;
  /** Items that may still come: a batch with as many is not waited with. */
  expected: () => number;
  /** Writes a batch; one result for each item, in order. */
  write: (items: readonly Item[]) => Promise<readonly Result[]>;
}

/** A batch that begins so soon after another one ended waits for more items. */
const BUSY_MS = 100;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Gathers items that come at about the same time and writes them together: each transaction waits for the disk. */
export class Batcher<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  #isRunning = false;
  #endedMs = -Infinity;
  /** Ends the wait for more. */
  #hurry: () => void = () => {};

  constructor(private readonly options: BatcherOptions<Item, Result>) {}

  /** Resolves to the result of the item once its batch is written. Rejects with the error of the batch. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isRunning) void this.#run();
      else if (this.#isEnough) this.#hurry();
    });
  }

  get #isEnough(): boolean {
    return this.#waiting.length >= Math.min(this.options.maxItems, this.options.expected());
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      // Whatever arrives in this turn of the event loop goes along.
      await setImmediate();
      if (performance.now() - this.#endedMs < BUSY_MS && !this.#isEnough) await this.#gather();
      await this.#write(this.#waiting.splice(0, this.options.maxItems));
      this.#endedMs = performance.now();
    }
    this.#isRunning = false;
  }

  async #gather(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.options.gatherMs);
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #write(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.options.write(batch.map(({ item }) => item));
      for (const [at, result] of results.entries()) batch[at]?.resolve(result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
