/** On whose behalf something is done: what one of them uses up is counted and shared out by it. */
export interface Client {
  /** The client or user: `ip:192.0.2.1`, `ip:2001:db8::/64`, `user:@a:b`; compared as it is. */
  readonly key: string;
  /** One request of theirs, so that a long one does not go before all others of the same client. */
  readonly question: string;
  /** Calls the listener for every other client who wants the same, until the function returned is called. */
  readonly onJoined?: (listener: JoinListener) => () => void;
}

type JoinListener = (other: Client) => void;

/** A user who is signed in, and the id of the request. */
export function userClient(userId: string, requestId: string): Client {
  return { key: `user:${userId}`, question: requestId };
}

/** The client who asks first for what others may want, too: all of them bring their slots to what it waits for. */
export class SharedClient implements Client {
  readonly key: string;
  readonly question: string;
  readonly #others: Client[] = [];
  readonly #listeners = new Set<JoinListener>();

  constructor({ key, question }: Client) {
    this.key = key;
    this.question = question;
  }

  join(other: Client): void {
    if (other.key === this.key || this.#others.some(({ key }) => key === other.key)) return;
    this.#others.push(other);
    for (const listener of this.#listeners) listener(other);
  }

  readonly onJoined = (listener: JoinListener): (() => void) => {
    this.#listeners.add(listener);
    for (const other of this.#others) listener(other);
    return () => this.#listeners.delete(listener);
  };
}
