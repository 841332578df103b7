import { SECOND_MS } from '../../base/clock.js';
import { parseIpAddress } from '../address/ip-address.js';

/** What `resolv.conf` says. */
export interface ResolvConf {
  /** As `address` or `[address]:port`; 127.0.0.1 when the file names none. */
  servers: readonly string[];
  /** Domains that names are completed with, in order, lower case. */
  search: readonly string[];
  /** Names with fewer dots are completed before they are asked for as they are. */
  ndots: number;
  /** Patience with one server, ms; `null` when the file does not say. */
  timeoutMs: number | null;
  /** How often each server is asked. */
  attempts: number;
  /** Whether look-ups begin with another server each time. */
  rotate: boolean;
}

const MAX_SERVERS = 8;
const MAX_SEARCH = 32;
const MAX_NDOTS = 15;
const MAX_TIMEOUT_SECONDS = 30;
const MAX_ATTEMPTS = 5;
/** Longest name (RFC 1035 §2.3.4), without the final dot. */
export const MAX_NAME_LENGTH = 253;
const DEFAULT_SERVER = '127.0.0.1';
const DOMAIN = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

/**
 * Reads `resolv.conf` (resolv.conf(5)); what is not understood is skipped, the last `search` or `domain` counts.
 * Beyond the manual `[address]:port` names a server. `hostName` gives the domain when the file has none.
 */
export function parseResolvConf(text: string, hostName: string): ResolvConf {
  const conf = {
    servers: [] as string[],
    ndots: 1,
    timeoutMs: null as number | null,
    attempts: 2,
    rotate: false,
  };
  const at = hostName.indexOf('.');
  let search = at === -1 ? [] : domainsOf([hostName.slice(at + 1)]);
  for (const line of text.split('\n')) {
    const [stated = ''] = line.split(/[#;]/, 1);
    const [keyword, ...values] = stated.trim().split(/\s+/);
    const [value] = values;
    if (keyword === 'nameserver' && value !== undefined && isServer(value)) conf.servers.push(value);
    else if (keyword === 'domain') search = domainsOf(values.slice(0, 1));
    else if (keyword === 'search') search = domainsOf(values);
    else if (keyword === 'options') for (const option of values) Object.assign(conf, optionOf(option));
  }
  const servers = conf.servers.length === 0 ? [DEFAULT_SERVER] : conf.servers.slice(0, MAX_SERVERS);
  return { ...conf, servers, search };
}

function isServer(text: string): boolean {
  const port = /^\[([^\]]+)\]:(\d{1,5})$/.exec(text);
  if (port === null) return parseIpAddress(text) !== null;
  return parseIpAddress(port[1] ?? '') !== null && Number(port[2]) >= 1 && Number(port[2]) <= 65_535;
}

function domainsOf(values: readonly string[]): string[] {
  const plain = values.map((value) => value.toLowerCase().replace(/\.$/, ''));
  return plain.filter((value) => DOMAIN.test(value)).slice(0, MAX_SEARCH);
}

function optionOf(option: string): Partial<Omit<ResolvConf, 'servers' | 'search'>> {
  if (option === 'rotate') return { rotate: true };
  const [, name, digits] = /^(ndots|timeout|attempts):(\d{1,4})$/.exec(option) ?? [];
  const value = Number(digits);
  if (name === 'ndots') return { ndots: Math.min(value, MAX_NDOTS) };
  if (name === 'timeout') return { timeoutMs: SECOND_MS * Math.min(Math.max(value, 1), MAX_TIMEOUT_SECONDS) };
  if (name === 'attempts') return { attempts: Math.min(Math.max(value, 1), MAX_ATTEMPTS) };
  return {};
}

/** The names to ask for one after another until one exists (resolv.conf(5), `search` and `ndots`). */
export function searchedNames(name: string, { search, ndots }: ResolvConf): string[] {
  const completed = search
    .map((domain) => `${name}.${domain}`)
    .filter((asked) => asked.length <= MAX_NAME_LENGTH);
  const dots = name.split('.').length - 1;
  return dots >= ndots ? [name, ...completed] : [...completed, name];
}
