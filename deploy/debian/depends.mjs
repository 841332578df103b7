// Prints what the package asks of the package `nodejs`, from `engines` of package.json. One dependency cannot name a
// range, so there is one for each gap between two claimed versions.
import { claimedNodes } from '../../scripts/claimed-nodes.mjs';

const from = ({ major, minor }) => `nodejs (>= ${major}.${minor})`;
const clauses = claimedNodes().map((claimed, index, all) =>
  index === 0 ? from(claimed) : `${from(claimed)} | nodejs (<< ${all[index - 1].major + 1}~)`,
);
process.stdout.write(`${clauses.join(', ')}\n`);
