import { BLOCK_NODE_LOADERS } from './blocking/block.loaders.js';
import type { NodeLoader } from './common/node-loader.js';
import { KEY_NODE_LOADERS } from './keys/key-lookups.js';
import { JOB_LOADER, JOB_RUN_LOADER } from './jobs/job.loaders.js';

/** Every type that `node(id)` knows, one line each. */
export const NODE_LOADERS: readonly NodeLoader[] = [
  ...KEY_NODE_LOADERS,
  JOB_LOADER,
  JOB_RUN_LOADER,
  ...BLOCK_NODE_LOADERS,
];
