import type { NodeLoader } from './common/node-loader.js';

/** Every type that `node(id)` knows, one line each. */
export const NODE_LOADERS: readonly NodeLoader[] = [];
