import { ACCESS_NODE_LOADERS } from './access/access.resolver.js';
import { BLOCK_NODE_LOADERS } from './blocking/block.loaders.js';
import type { NodeLoader } from './nodes/node-loader.js';
import { KEY_NODE_LOADERS } from './keys/key-lookups.js';
import { MEDIA_NODE_LOADER } from './media/media-lookups.js';
import { PREVIEW_NODE_LOADERS } from './previews/preview-lookups.js';
import { JOB_NODE_LOADERS } from './jobs/job.resolver.js';

/** Every type that `node(id)` knows, one line each. */
export const NODE_LOADERS: readonly NodeLoader[] = [
  ...ACCESS_NODE_LOADERS,
  ...KEY_NODE_LOADERS,
  ...JOB_NODE_LOADERS,
  ...PREVIEW_NODE_LOADERS,
  MEDIA_NODE_LOADER,
  ...BLOCK_NODE_LOADERS,
];
