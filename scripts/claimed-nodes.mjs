// What versions of Node package.json claims. Runs on any Node with modules.
import { readFileSync } from 'node:fs';

/** Least versions by major, ascending; the form of `engines.node` is `^20.19.0 || ^22.13.0 || …`. */
export function claimedNodes() {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return engines.node.split(' || ').map((range) => {
    const [major, minor] = range.slice(1).split('.').map(Number);
    return { major, minor };
  });
}

/** `claimed`, `newer` than all that is claimed, or `refused`: too old, or between the long-lived ones. */
export function verdictOf(version, claimed = claimedNodes()) {
  const [major, minor] = version.split('.').map(Number);
  if (claimed.some((one) => one.major === major && minor >= one.minor)) return 'claimed';
  return claimed.every((one) => major > one.major) ? 'newer' : 'refused';
}
