/** On whose behalf something is done: what one of them uses up is counted and shared out by it. */
export interface Asker {
  /** The client or user: `ip:192.0.2.1`, `ip:2001:db8::/64`, `user:@a:b`; compared as it is. */
  readonly key: string;
  /** One request of theirs, so that a long one does not go before all others of the same client. */
  readonly question: string;
}

/** A user who is signed in, and the id of the request. */
export function userAsker(userId: string, requestId: string): Asker {
  return { key: `user:${userId}`, question: requestId };
}
