/** Something that one or several clients wait for. */
export interface Waiting {
  readonly clients: ReadonlyMap<string, unknown>;
}

/** What waits, by client: the client served last comes last, and the entries of each are in order of arrival. */
export class WaitingLists<Entry extends Waiting> {
  readonly #lists = new Map<string, Set<Entry>>();

  [Symbol.iterator](): Iterator<[string, ReadonlySet<Entry>]> {
    return this.#lists.entries();
  }

  sizeOf(client: string): number {
    return this.#lists.get(client)?.size ?? 0;
  }

  add(client: string, entry: Entry): void {
    const own = this.#lists.get(client) ?? new Set();
    this.#lists.set(client, own.add(entry));
  }

  remove(client: string, entry: Entry): void {
    const own = this.#lists.get(client);
    own?.delete(entry);
    if (own?.size === 0) this.#lists.delete(client);
  }

  /** A client has been served: others that hold as few are next. */
  moveBack(client: string): void {
    const own = this.#lists.get(client);
    if (own === undefined) return;
    this.#lists.delete(client);
    this.#lists.set(client, own);
  }

  /** The client with the most entries; of several, the one that was served last. */
  get largest(): string {
    let largest = { client: '', size: 0 };
    for (const [client, { size }] of this.#lists) if (size >= largest.size) largest = { client, size };
    return largest.client;
  }

  /** The newest entry of a client; those that others wait for as well come last. */
  newestOf(client: string): Entry | undefined {
    const own = [...(this.#lists.get(client) ?? [])];
    return own.findLast(({ clients }) => clients.size === 1) ?? own.at(-1);
  }
}
