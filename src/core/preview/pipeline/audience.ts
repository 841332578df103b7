/** Who waits for what is being made, by URL, so that it can end when the last of them has gone. */
export class Audience {
  readonly #flights = new Map<string, { waiting: number; end: () => void }>();

  /** One more waits; the function returned ends that. */
  join(url: string): () => void {
    const flight = this.#flights.get(url) ?? { waiting: 0, end: noop };
    this.#flights.set(url, flight);
    flight.waiting += 1;
    let isHere = true;
    return () => {
      if (!isHere) return;
      isHere = false;
      flight.waiting -= 1;
      if (flight.waiting > 0) return;
      this.#flights.delete(url);
      flight.end();
    };
  }

  /** Has `end` called when nobody waits any more, at once if so; the function returned takes that back. */
  whenAllGone(url: string, end: () => void): () => void {
    const flight = this.#flights.get(url);
    if (flight === undefined) {
      end();
      return noop;
    }
    flight.end = end;
    return () => {
      if (flight.end === end) flight.end = noop;
    };
  }
}

function noop(): void {}
