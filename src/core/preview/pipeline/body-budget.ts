import { addCount } from '../../base/add-count.js';
import type { Asker } from '../../base/places/asker.js';

/** Who is told of a budget. */
export interface BodyBudgetListener {
  /** All memory is taken: downloads have to wait from now on. */
  onBound: () => void;
  /** Bodies are gone, so that some may begin. */
  onRoom: () => void;
}

interface HeldBody {
  holders: number;
  whose: string;
  readonly bytes: number;
}

/**
 * Bounds the bytes of downloaded bodies that wait to be stored and read. Downloads finish faster than pages are
 * read, so without it a crowd of large pages would pile up in memory. Up to the double amount those may go on of whom
 * nothing is held: one user's pages do not stop the others.
 */
export class BodyBudget {
  #heldBytes = 0;
  /** Bytes held by asker. */
  readonly #askers = new Map<string, number>();
  /** How many hold a body, and for whom it counts. */
  readonly #bodies = new WeakMap<Buffer, HeldBody>();

  constructor(
    private readonly maxBytes: number,
    private readonly listener: BodyBudgetListener,
  ) {}

  /** Bytes held now. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Whether a further download of the asker may begin. */
  hasRoom(asker: string): boolean {
    const limit = this.#askers.has(asker) ? this.maxBytes : 2 * this.maxBytes;
    return this.#heldBytes <= limit;
  }

  /**
   * Counts a body for the asker, or for somebody who joined him if only that one has room; what several hold counts
   * for the first of them. The function returned is called once it is no longer held.
   */
  hold(asker: Asker, body: Buffer): () => void {
    const held = this.#bodies.get(body) ?? { holders: 0, whose: '', bytes: body.length };
    this.#bodies.set(body, held);
    held.holders += 1;
    if (held.holders === 1) this.#begin(held, asker);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      held.holders -= 1;
      if (held.holders === 0) this.#end(held);
    };
  }

  #begin(held: HeldBody, asker: Asker): void {
    held.whose = keysOf(asker).find((key) => this.hasRoom(key)) ?? asker.key;
    const hadRoom = this.#heldBytes <= this.maxBytes;
    this.#add(held.whose, held.bytes);
    if (hadRoom && this.#heldBytes > this.maxBytes) this.listener.onBound();
  }

  #end({ whose, bytes }: HeldBody): void {
    this.#add(whose, -bytes);
    if (this.#heldBytes <= 2 * this.maxBytes) this.listener.onRoom();
  }

  #add(asker: string, bytes: number): void {
    this.#heldBytes += bytes;
    addCount(this.#askers, asker, bytes);
  }
}

function keysOf({ key, eachOther }: Asker): string[] {
  const keys = [key];
  eachOther?.(({ key: other }) => {
    keys.push(other);
    return () => {};
  })();
  return keys;
}
