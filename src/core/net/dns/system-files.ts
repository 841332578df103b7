import { readFile, stat } from 'node:fs/promises';

import { SECOND_MS, type Clock } from '../../base/clock.js';
import { errorCode } from '../../base/errors/error-code.js';
import type { Logger } from '../../base/logger.js';
import { parseIpAddress } from '../address/ip-address.js';
import type { ResolvedAddress } from './resolver.js';

/** Where the system says how names are resolved. */
export interface SystemFilePaths {
  resolvConf: string;
  hosts: string;
}

export const SYSTEM_FILES: SystemFilePaths = { resolvConf: '/etc/resolv.conf', hosts: '/etc/hosts' };

/** What `resolv.conf` says. */
export interface ResolvConf {
  /** As `address` or `[address]:port`; 127.0.0.1 when the file names none. */
  servers: readonly string[];
  /** Domains that complete names, in order, lower case. */
  search: readonly string[];
}

/** Addresses by lower-case name, in the order of the file. */
export type HostsTable = ReadonlyMap<string, readonly ResolvedAddress[]>;

/** What both files say now. */
export interface SystemFiles {
  resolvConf(): Promise<ResolvConf>;
  hosts(): Promise<HostsTable>;
}

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_SERVERS = 8;
const MAX_SEARCH = 32;
/** Further addresses of one name are not looked at. */
const MAX_ADDRESSES = 64;
/** Longest name (RFC 1035 §2.3.4), without the final dot. */
export const MAX_NAME_LENGTH = 253;
const DOMAIN = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

/** Both files, read again when they have changed; a look a second at most. */
export function watchSystemFiles(paths: SystemFilePaths, clock: Clock, logger: Logger | null): SystemFiles {
  const { resolvConf, hosts } = paths;
  return {
    resolvConf: watch({ path: resolvConf, clock, logger }, parseResolvConf),
    hosts: watch({ path: hosts, clock, logger }, parseHosts),
  };
}

/** A file that cannot be read leaves what was known, which is logged once; a missing one is empty. */
function watch<T>(
  { path, clock, logger }: { path: string; clock: Clock; logger: Logger | null },
  parse: (text: string) => T,
): () => Promise<T> {
  let value = parse('');
  let mark = '';
  let lookedTs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;
  const look = async (): Promise<void> => {
    const found = await readChanged(path, mark).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return { mark: '', text: '' };
      const failure = String(error);
      if (failure !== mark) logger?.warn({ err: error }, 'a file of the system about names cannot be read');
      return { mark: failure, text: null };
    });
    if (found.text !== null) value = parse(found.text);
    mark = found.mark;
  };
  return async () => {
    const nowTs = clock.now();
    if (looking === null && Math.abs(nowTs - lookedTs) >= SECOND_MS) {
      lookedTs = nowTs;
      looking = look().finally(() => (looking = null));
    }
    await looking;
    return value;
  };
}

/** `text` is null when the file is as it was. */
async function readChanged(path: string, known: string): Promise<{ mark: string; text: string | null }> {
  const { ino, size, mtimeMs, ctimeMs } = await stat(path);
  const mark = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  if (size > MAX_BYTES) throw new Error(`${path} is longer than ${MAX_BYTES} bytes`);
  return { mark, text: mark === known ? null : await readFile(path, 'utf8') };
}

/** Lines without comments, as words. */
function wordsOf(text: string, comment: RegExp): string[][] {
  return text.split('\n').map((line) => line.replace(comment, '').trim().split(/\s+/));
}

/** Reads `resolv.conf` (resolv.conf(5)); the last `search` or `domain` counts, `[address]:port` names a server, too. */
function parseResolvConf(text: string): ResolvConf {
  const servers: string[] = [];
  let search: string[] = [];
  for (const [keyword, ...values] of wordsOf(text, /[#;].*$/)) {
    if (keyword === 'nameserver') servers.push(...values.slice(0, 1).filter(isServer));
    else if (keyword === 'domain' || keyword === 'search')
      search = values
        .map((value) => value.toLowerCase().replace(/\.$/, ''))
        .filter((value) => DOMAIN.test(value));
  }
  return {
    servers: servers.length === 0 ? ['127.0.0.1'] : servers.slice(0, MAX_SERVERS),
    search: search.slice(0, MAX_SEARCH),
  };
}

function isServer(text: string): boolean {
  const [, address = text, port = '53'] = /^\[([^\]]+)\]:(\d{1,5})$/.exec(text) ?? [];
  return parseIpAddress(address) !== null && Number(port) >= 1 && Number(port) <= 65_535;
}

/** Reads a hosts file (hosts(5)). Lines without a plain address, such as those with a zone id, are skipped. */
function parseHosts(text: string): HostsTable {
  const table = new Map<string, ResolvedAddress[]>();
  for (const [address = '', ...names] of wordsOf(text, /#.*$/)) {
    if (names.length === 0 || parseIpAddress(address) === null) continue;
    for (const written of names) {
      const name = written.toLowerCase().replace(/\.$/, '');
      const known = table.get(name) ?? [];
      if (known.length < MAX_ADDRESSES && known.every((each) => each.address !== address))
        // A mapped address stays as it is written: the guard judges it in every form.
        known.push({ address, family: address.includes(':') ? 6 : 4 });
      table.set(name, known);
    }
  }
  return table;
}
