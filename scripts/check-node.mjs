// Imported before anything else: says in one line when Node does not fit, instead of failing somewhere later.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
// The form of `engines.node` is `^20.19.0 || ^22.13.0 || …`.
const supported = engines.node.split(' || ').map((range) => range.slice(1).split('.').map(Number));
const [major, minor] = process.versions.node.split('.').map(Number);

if (!supported.some((least) => least[0] === major && minor >= least[1])) {
  const isNewer = supported.every((least) => major > least[0]);
  const versions = supported.map((least) => `${least[0]}.${least[1]}`).join(', ');
  const problem = isNewer ? 'not tested yet' : 'not supported';
  process.stderr.write(
    `vidimus: Node ${process.versions.node} is ${problem}; tested: ${versions} and later of each\n`,
  );
  if (!isNewer) process.exit(1);
}
