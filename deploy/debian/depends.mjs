// Prints what the package asks of the package `nodejs`, from `engines` of package.json. One dependency cannot name a
// range, so there is one for each gap between two supported versions.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const supported = engines.node.split(' || ').map((range) => range.slice(1).split('.').map(Number));
const clauses = supported.map(([major, minor], index) => {
  const from = `nodejs (>= ${major}.${minor})`;
  return index === 0 ? from : `${from} | nodejs (<< ${supported[index - 1][0] + 1}~)`;
});
process.stdout.write(`${clauses.join(', ')}\n`);
