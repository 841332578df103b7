import { readFile, stat } from 'node:fs/promises';

import { SECOND_MS, type Clock } from '../../base/clock.js';
import { errorCode } from '../../base/errors/api-error.js';
import type { Logger } from '../../base/logger.js';
import { parseIpAddress } from '../address/ip-address.js';

/** One address of a name. A mapped address stays as it is written: the guard judges it in every form. */
export type ResolvedAddress = ReturnType<typeof withFamily>;

export function withFamily(address: string) {
  return { address, family: address.includes(':') ? (6 as const) : (4 as const) };
}

/** Where the system says how names are resolved. */
export const SYSTEM_FILES = { resolvConf: '/etc/resolv.conf', hosts: '/etc/hosts' };

/** What both files say now. */
export type SystemFiles = ReturnType<typeof watchSystemFiles>;

const MAX_SERVERS = 8;
/** Further addresses of one name are not looked at. */
const MAX_ADDRESSES = 64;

/** Both files, read again when they have changed; a look a second at most. */
export function watchSystemFiles(paths: typeof SYSTEM_FILES, clock: Clock, logger: Logger | null) {
  const { resolvConf, hosts } = paths;
  return {
    nameServers: watch({ path: resolvConf, clock, logger }, parseNameServers),
    hosts: watch({ path: hosts, clock, logger }, parseHosts),
  };
}

/** A file that cannot be read leaves what was known, which is logged once; a missing one is empty. */
function watch<T>(
  { path, clock, logger }: { path: string; clock: Clock; logger: Logger | null },
  parse: (text: string) => T,
): () => Promise<T> {
  let value = parse('');
  /** The version that was read, or the failure. */
  let seen = '';
  let lookedTs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    try {
      const { ino, size, mtimeMs, ctimeMs } = await stat(path);
      const version = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
      if (version !== seen) value = parse(await readFile(path, 'utf8'));
      seen = version;
    } catch (error) {
      const failure = String(error);
      if (errorCode(error) === 'ENOENT') value = parse('');
      else if (failure !== seen)
        logger?.warn({ err: error }, 'cannot read a system file for name resolution');
      seen = failure;
    }
  };
  return async () => {
    const nowTs = clock.now();
    if (Math.abs(nowTs - lookedTs) >= SECOND_MS) {
      lookedTs = nowTs;
      looking = look();
    }
    await looking;
    return value;
  };
}

/** Lines without comments, as words. */
function wordsOf(text: string, comment: RegExp): string[][] {
  return text.split('\n').map((line) => line.replace(comment, '').trim().split(/\s+/));
}

/** The servers of `resolv.conf` (resolv.conf(5)), as `address` or `[address]:port`; 127.0.0.1 when it names none. */
function parseNameServers(text: string): readonly string[] {
  const servers = wordsOf(text, /[#;].*$/).flatMap(([keyword, server = '']) =>
    keyword === 'nameserver' && isServer(server) ? [server] : [],
  );
  return servers.length === 0 ? ['127.0.0.1'] : servers.slice(0, MAX_SERVERS);
}

function isServer(text: string): boolean {
  const [, address = text, port = '53'] = /^\[([^\]]+)\]:(\d{1,5})$/.exec(text) ?? [];
  return parseIpAddress(address) !== null && Number(port) >= 1 && Number(port) <= 65_535;
}

/**
 * Addresses of a hosts file (hosts(5)) by lower-case name, in its order. Lines without a plain address, such as those
 * with a zone id, are skipped.
 */
function parseHosts(text: string): ReadonlyMap<string, readonly ResolvedAddress[]> {
  const table = new Map<string, ResolvedAddress[]>();
  for (const [address = '', ...names] of wordsOf(text, /#.*$/)) {
    if (names.length === 0 || parseIpAddress(address) === null) continue;
    for (const written of names) {
      const name = written.toLowerCase().replace(/\.$/, '');
      const known = table.get(name) ?? [];
      if (known.length < MAX_ADDRESSES && known.every((each) => each.address !== address))
        known.push(withFamily(address));
      table.set(name, known);
    }
  }
  return table;
}
