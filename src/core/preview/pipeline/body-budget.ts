import { addCount } from '../../base/add-count.js';

/** Who is told of a budget. */
export interface BodyBudgetListener {
  /** All memory is taken: downloads have to wait from now on. */
  onBound: () => void;
  /** Bodies are gone, so that some may begin. */
  onRoom: () => void;
}

/**
 * Bounds the bytes of downloaded bodies that wait to be stored and read. Downloads finish faster than pages are
 * read, so without it a crowd of large pages would pile up in memory. Users with nothing held may exceed the limit, up
 * to twice its size, so that one user's pages do not stop the others.
 */
export class BodyBudget {
  #heldBytes = 0;
  readonly #heldByUser = new Map<string, number>();

  constructor(
    private readonly maxBytes: number,
    private readonly listener: BodyBudgetListener,
  ) {}

  /** Bytes held now. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Whether a further download of the user may begin. */
  hasRoom(user: string): boolean {
    const limit = this.#heldByUser.has(user) ? this.maxBytes : 2 * this.maxBytes;
    return this.#heldBytes <= limit;
  }

  /** Counts a body for the user until the function returned is called. */
  hold(user: string, bytes: number): () => void {
    const hadRoom = this.#heldBytes <= this.maxBytes;
    this.#add(user, bytes);
    if (hadRoom && this.#heldBytes > this.maxBytes) this.listener.onBound();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#add(user, -bytes);
      if (this.#heldBytes <= 2 * this.maxBytes) this.listener.onRoom();
    };
  }

  #add(user: string, bytes: number): void {
    this.#heldBytes += bytes;
    addCount(this.#heldByUser, user, bytes);
  }
}
