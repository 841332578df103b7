/**
 * What works around Node, V8, libuv or a library for speed alone, by the names of the setting `runtime.optimizations`:
 * without them all answers are the same. Each stands in this folder, or says where it is used why it cannot; its figure
 * is what `npm run bench -- tricks` gave for processor time without it.
 */
export const OPTIMIZATIONS = [
  'buffer_pool',
  'gathered_log',
  'heap_flags',
  'idle_collection',
  'request_id_batches',
  'response_cache',
  'thread_priorities',
  'wal_thread',
  'young_collection',
] as const;

export type Optimization = (typeof OPTIMIZATIONS)[number];
