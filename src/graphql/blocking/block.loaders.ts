import type { BatchLookup } from '../context.js';
import { loadRows, type NodeLoader } from '../nodes/node-loader.js';
import { toBlockHit } from './block-hit.js';
import { toBlockRule, type BlockRule } from './block-rule.js';

const ruleByKey: BatchLookup<string, BlockRule> = async (keys, { services }) =>
  keys.map((key) => {
    const rule = services.blocking.registry.find(key);
    return rule === null ? null : toBlockRule(rule);
  });

const hitByKey = loadRows((ids, { services }) => services.blocking.hits.find(ids), toBlockHit);

export const BLOCK_NODE_LOADERS: readonly NodeLoader[] = [
  { typeName: 'BlockRule', requires: 'viewer', load: ruleByKey },
  { typeName: 'BlockHit', requires: 'viewer', load: hitByKey },
];
