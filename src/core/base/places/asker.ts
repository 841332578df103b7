/** On whose behalf something is done: what one of them uses up is counted and shared out by it. */
export interface Asker {
  /** The client or user: `ip:192.0.2.1`, `ip:2001:db8::/64`, `user:@a:b`; compared as it is. */
  readonly key: string;
  /** One request of theirs, so that a long one does not go before all others of the same asker. */
  readonly question: string;
  /** Tells of each who has joined, or joins until the function returned is called; absent: nobody can. */
  readonly eachOther?: (tell: (other: Asker) => void) => () => void;
}

/** A user who is signed in, and the id of the request. */
export function userAsker(userId: string, requestId: string): Asker {
  return { key: `user:${userId}`, question: requestId };
}

/** Who asks first for something that others may want, too: each who joins brings his own turn to all it waits for, for good. */
export class JoinedAskers implements Asker {
  readonly key: string;
  readonly question: string;
  readonly #others = new Map<string, Asker>();
  readonly #told = new Set<(other: Asker) => void>();

  constructor(first: Asker) {
    this.key = first.key;
    this.question = first.question;
  }

  /** Joins with all who have joined that one, or join it until the function returned is called. */
  join(asker: Asker): () => void {
    const { key, question } = asker;
    if (key !== this.key && !this.#others.has(key)) {
      const other = { key, question };
      this.#others.set(key, other);
      for (const tell of this.#told) tell(other);
    }
    return asker.eachOther?.((other) => void this.join(other)) ?? (() => undefined);
  }

  readonly eachOther = (tell: (other: Asker) => void): (() => void) => {
    for (const other of this.#others.values()) tell(other);
    this.#told.add(tell);
    return () => void this.#told.delete(tell);
  };
}
