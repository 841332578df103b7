// Imported before anything else: says in one line when Node does not fit, instead of failing somewhere later.
import { claimedNodes, verdictOf } from './claimed-nodes.mjs';

const verdict = verdictOf(process.versions.node);

if (verdict !== 'claimed') {
  const claimed = claimedNodes().map(({ major, minor }) => `${major}.${minor}`);
  const error = verdict === 'newer' ? 'newer than any it is tested with' : 'too old or odd';
  process.stderr.write(
    `vidimus: Node ${process.versions.node} is ${error}: made for ${claimed.join(', ')} and later of each\n`,
  );
  if (verdict === 'refused') process.exit(1);
}
