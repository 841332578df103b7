/** On whose behalf something is done: what one of them uses up is counted and shared out by it. */
export interface Asker {
  /** The client or user: `ip:192.0.2.1`, `ip:2001:db8::/64`, `user:@a:b`; compared as it is. */
  readonly key: string;
  /** One request of theirs, so that a long one does not go before all others of the same asker. */
  readonly question: string;
  /** Tells of each who has joined, or joins until the function returned is called; absent: nobody can. */
  readonly eachOther?: (tell: TellJoined) => () => void;
}

/** Told of somebody who has joined; the function returned is called when he has gone. */
export type TellJoined = (other: Asker) => () => void;

/** A user who is signed in, and the id of the request. */
export function userAsker(userId: string, requestId: string): Asker {
  return { key: `user:${userId}`, question: requestId };
}

/**
 * Who asks first for something that others may want, too: each who joins brings his own turn to all it waits for, until
 * he has gone.
 */
export class JoinedAskers implements Asker {
  readonly key: string;
  readonly question: string;
  /** By key, with how often each has joined. */
  readonly #others = new Map<string, { other: Asker; joined: number }>();
  /** Those who are told of others, with what ends that for each of these. */
  readonly #told = new Map<TellJoined, Map<string, () => void>>();

  constructor(first: Asker) {
    this.key = first.key;
    this.question = first.question;
  }

  /** Joins, with all who join that one, until the function returned is called. */
  join(asker: Asker): () => void {
    const leave = asker.key === this.key ? noop : this.#add(asker);
    const unlink = asker.eachOther?.((other) => this.join(other)) ?? noop;
    return () => {
      unlink();
      leave();
    };
  }

  #add({ key, question }: Asker): () => void {
    const entry = this.#others.get(key) ?? { other: { key, question }, joined: 0 };
    this.#others.set(key, entry);
    entry.joined += 1;
    if (entry.joined === 1) for (const [tell, ends] of this.#told) ends.set(key, tell(entry.other));
    let isHere = true;
    return () => {
      if (!isHere) return;
      isHere = false;
      entry.joined -= 1;
      if (entry.joined > 0) return;
      this.#others.delete(key);
      for (const ends of this.#told.values()) {
        ends.get(key)?.();
        ends.delete(key);
      }
    };
  }

  readonly eachOther = (tell: TellJoined): (() => void) => {
    const ends = new Map<string, () => void>();
    for (const [key, { other }] of this.#others) ends.set(key, tell(other));
    this.#told.set(tell, ends);
    return () => {
      this.#told.delete(tell);
      for (const end of ends.values()) end();
    };
  };
}

function noop(): void {}
