import { useSyncExternalStore } from 'react';

/** A poll that waits longer than this means that the server hangs. */
const ANSWER_MS = 3_000;

const listeners = new Set<() => void>();
let answeredTs = Date.now();
let isAway = false;
let waiting: ReturnType<typeof setTimeout> | undefined;

function setAway(next: boolean): void {
  if (isAway === next) return;
  isAway = next;
  for (const listener of listeners) listener();
}

/** A poll has begun. Leaving the page does not end the wait: only a request that ends does. */
export function noteWait(): void {
  waiting ??= setTimeout(() => setAway(true), ANSWER_MS);
}

/** A request has ended, with an answer or without: this alone decides whether the server is away. */
export function noteEnd(isAnswered: boolean): void {
  clearTimeout(waiting);
  waiting = undefined;
  if (isAnswered) answeredTs = Date.now();
  setAway(!isAnswered);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** While the server does not answer: when it last did, POSIX ms. `null` while it does. */
export function useAwaySince(): number | null {
  return useSyncExternalStore(subscribe, () => (isAway ? answeredTs : null));
}
