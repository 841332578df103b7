import { setFlagsFromString } from 'node:v8';

/** Prepares the engine for a server (`heap_flags`); call it before anything large is loaded. */
export function tuneHeap(): void {
  // Objects that once lived long, as those of queries that wait for other servers, are otherwise put among the
  // long-lived ones ever after, where only full collections find their garbage: a first fetch takes up to 9 % more.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // Compiling the database's query planner a second time makes nothing faster, and an idle server 6 % larger.
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}
