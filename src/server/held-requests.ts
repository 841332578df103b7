import type { Socket } from 'node:net';

/** Requests that wait for the moment in which a port is closed, so that nobody is answered and comes again in it. */
export class HeldRequests {
  #held: { socket: Socket; serve: () => void }[] | null = null;

  get isHolding(): boolean {
    return this.#held !== null;
  }

  /** The connections they came on. */
  get sockets(): Socket[] {
    return (this.#held ?? []).map(({ socket }) => socket);
  }

  /** From now on. */
  hold(): void {
    this.#held ??= [];
  }

  add(socket: Socket, serve: () => void): void {
    this.#held?.push({ socket, serve });
  }

  /** Serves all of them, and holds none any more. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const { serve } of held) serve();
  }
}
