import { randomUUID } from 'node:crypto';

/** A new random ID for a request, 12 characters. Node draws the randomness of UUIDs for many at once. */
export function newRequestId(): string {
  return randomUUID().slice(24);
}
