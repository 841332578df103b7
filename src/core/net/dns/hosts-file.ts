import { parseIpAddress } from '../address/ip-address.js';
import type { ResolvedAddress } from './resolver.js';

/** Addresses by lower-case name, in the order of the file. */
export type HostsTable = ReadonlyMap<string, readonly ResolvedAddress[]>;

const MAX_NAME_LENGTH = 253;
/** Further addresses of one name are not looked at. */
const MAX_ADDRESSES = 64;

/** Reads a hosts file (hosts(5)). Lines without a plain address, such as those with a zone id, are skipped. */
export function parseHostsFile(text: string): HostsTable {
  const table = new Map<string, ResolvedAddress[]>();
  for (const line of text.split('\n')) {
    const [stated = ''] = line.split('#', 1);
    const [address = '', ...names] = stated.trim().split(/\s+/);
    if (names.length === 0) continue;
    const parsed = parseIpAddress(address);
    if (parsed === null) continue;
    // A mapped address stays as it is written: the guard judges it in every form.
    const entry: ResolvedAddress = { address, family: address.includes(':') ? 6 : 4 };
    for (const written of names) add(table, written, entry);
  }
  return table;
}

function add(table: Map<string, ResolvedAddress[]>, written: string, entry: ResolvedAddress): void {
  const name = written.toLowerCase().replace(/\.$/, '');
  if (name.length === 0 || name.length > MAX_NAME_LENGTH) return;
  const known = table.get(name);
  if (known === undefined) table.set(name, [entry]);
  else if (known.length < MAX_ADDRESSES && known.every(({ address }) => address !== entry.address))
    known.push(entry);
}
