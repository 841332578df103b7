import type { Asker } from '../../../base/places/asker.js';
import type { PlaceTicket, Rank } from '../../../base/places/place-ticket.js';
import type { LentPlace } from '../../../net/places/lent-place.js';
import type { FetchQueue, FetchTarget } from './fetch-queue.js';

/** Name servers that answer do so sooner, and then the place need not be waited for again. */
const PATIENCE_MS = 100;

/** The place of one fetch. Silent name servers hold none, at whatever stage they are asked. */
export class FetchPlace implements LentPlace {
  onGivenBack = (): void => {};
  readonly #askers: Asker[] = [];
  #target: FetchTarget | null = null;
  #ticket: PlaceTicket | null = null;

  constructor(private readonly queue: FetchQueue) {}

  /** A further asker waits for the fetch: its place comes by whoever's turn is first. */
  join(asker: Asker): void {
    if (this.#askers.some(({ key }) => key === asker.key)) return;
    this.#askers.push(asker);
    this.#ticket?.join(asker);
  }

  /** Waits for the place; `false` when it was given up. */
  enter(target: FetchTarget): Promise<boolean> {
    this.#target = target;
    return this.take(target.address);
  }

  get rank(): Rank {
    return this.#target === null ? 1 : this.queue.rankOf(this.#target);
  }

  async take(address: string | null): Promise<boolean> {
    if (this.#target === null) return false;
    if (this.#ticket === null) {
      this.#ticket = this.queue.enter({ ...this.#target, address });
      for (const asker of this.#askers) this.#ticket.join(asker);
    }
    return this.#ticket.admitted;
  }

  async during<T>(lookUp: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#giveBack(), PATIENCE_MS);
    try {
      return await lookUp;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The fetch is over. */
  leave(): void {
    this.#target = null;
    this.#giveBack();
  }

  #giveBack(): void {
    this.onGivenBack();
    this.#ticket?.leave();
    this.#ticket = null;
  }
}
