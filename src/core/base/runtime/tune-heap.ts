import { setFlagsFromString } from 'node:v8';

export const HEAP_FLAGS = [
  // Objects that once lived long, as those of queries that wait for other servers, are otherwise put among the
  // long-lived ones ever after, where only full collections find their garbage: a first fetch takes up to 9 % more.
  '--no-allocation-site-pretenuring',
  // Compiling the database's query planner a second time makes nothing faster, and an idle server 6 % larger.
  '--no-wasm-tier-up',
  '--no-wasm-dynamic-tiering',
];

/** Prepares the engine for a server (`heap_flags`); call it before anything large is loaded. */
export function tuneHeap(): void {
  for (const flag of HEAP_FLAGS) setFlagsFromString(flag);
}

/**
 * How many times larger room for young objects becomes when much survives: 1 during a start (`heap_flags`), as what that
 * makes mostly stays; else the engine's own.
 */
export function setYoungGrowth(factor: 1 | 2): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
