import { JoinedAskers, type Asker } from '../../base/places/asker.js';

/** Who waits for what is being made, by URL: each brings his turn while he waits, and it can end when the last of them has gone. */
export class Audience {
  readonly #flights = new Map<string, { waiting: number; askers: JoinedAskers; end: () => void }>();

  /** One more waits; the function returned ends that. */
  join(url: string, asker: Asker): () => void {
    const flight = this.#flights.get(url) ?? { waiting: 0, askers: new JoinedAskers(asker), end: noop };
    this.#flights.set(url, flight);
    flight.waiting += 1;
    const leave = flight.askers.join(asker);
    let isHere = true;
    return () => {
      if (!isHere) return;
      isHere = false;
      leave();
      flight.waiting -= 1;
      if (flight.waiting > 0) return;
      this.#flights.delete(url);
      flight.end();
    };
  }

  /** All who wait, or come to wait, together with one of them, who counts as the first. */
  with(url: string, first: Asker): Asker {
    const all = new JoinedAskers(first);
    const flight = this.#flights.get(url);
    if (flight !== undefined) all.join(flight.askers);
    return all;
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
