/** Who work is done for: `ip:192.0.2.1`, `ip:2001:db8::/64`, `user:@a:b`. Slots are shared out among clients. */
export type Client = string;

/** A user who is signed in. */
export const userClient = (userId: string): Client => `user:${userId}`;
