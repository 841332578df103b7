/** Requests that wait for the moment in which a port is closed, so that nobody is answered and comes again in it. */
export class HeldRequests {
  #held: (() => void)[] | null = null;

  get isHolding(): boolean {
    return this.#held !== null;
  }

  /** From now on. */
  hold(): void {
    this.#held ??= [];
  }

  add(serve: () => void): void {
    this.#held?.push(serve);
  }

  /** Serves all of them, and holds none any more. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const serve of held) serve();
  }
}
