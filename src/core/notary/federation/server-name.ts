import { registrableDomain, addressGroup, parseIpAddress } from '../../net/address/ip-address.js';

/** A server name taken apart. Identity is `text`, byte for byte; DNS and TLS compare `host` without case. */
export interface ServerName {
  /** Name or address, without brackets. */
  host: string;
  hostKind: 'ipv4' | 'ipv6' | 'dns';
  /** Null when the name has none. */
  port: number | null;
  text: string;
}

const MAX_HOST_LENGTH = 255;
const MAX_TEXT_LENGTH = MAX_HOST_LENGTH + ':65535'.length;
const DNS_NAME = /^[0-9A-Za-z.-]{1,255}$/;
const STARTS_LIKE_IPV4 = /^[0-9]/;
const IPV6_TEXT = /^[0-9A-Fa-f:.]{2,45}$/;
const PORT = /^[0-9]{1,5}$/;
const MAX_PORT = 65_535;

/** Splits at the port's colon; `port` null when there is none. */
function split(text: string): { hostText: string; portText: string | null } {
  const end = text.startsWith('[') ? text.indexOf(']') + 1 : text.indexOf(':');
  if (end <= 0 || end === text.length) return { hostText: text, portText: null };
  // Behind a bracket only a colon may follow; anything else fails as a port.
  return { hostText: text.slice(0, end), portText: text[end] === ':' ? text.slice(end + 1) : '' };
}

function parseHost(text: string): Pick<ServerName, 'host' | 'hostKind'> | null {
  if (text.startsWith('[')) {
    const inner = text.endsWith(']') ? text.slice(1, -1) : '';
    return IPV6_TEXT.test(inner) && inner.includes(':') && parseIpAddress(inner) !== null
      ? { host: inner, hostKind: 'ipv6' }
      : null;
  }
  if (!DNS_NAME.test(text)) return null;
  const isAddress = STARTS_LIKE_IPV4.test(text) && parseIpAddress(text) !== null;
  return { host: text, hostKind: isAddress ? 'ipv4' : 'dns' };
}

/**
 * Reads a server name: `host[:port]` with a DNS name, IPv4 or bracketed IPv6 address (Matrix spec, "Server
 * name"). Null for everything else, which must never reach the network. Linear in the length of the text.
 */
export function parseServerName(text: string): ServerName | null {
  if (text.length === 0 || text.length > MAX_TEXT_LENGTH) return null;
  const { hostText, portText } = split(text);
  const host = parseHost(hostText);
  if (host === null) return null;
  if (portText === null) return { ...host, port: null, text };
  const port = PORT.test(portText) ? Number(portText) : 0;
  return port >= 1 && port <= MAX_PORT ? { ...host, port, text } : null;
}

/** The same for all spellings and ports of a host. Behind one address many may stand, so there the port counts. */
export function hostKey(serverName: string): string {
  const name = parseServerName(serverName);
  return (name?.hostKind === 'dns' ? name.host : serverName).toLowerCase();
}

/** What a server's storage counts for: the registrable domain, an address (IPv6: its /64) for itself. */
export function domainOf(serverName: string): string {
  const name = parseServerName(serverName);
  if (name === null) return serverName.toLowerCase();
  return name.hostKind === 'dns' ? registrableDomain(name.host.toLowerCase()) : addressGroup(name.host);
}

/** What people paste, in the order it is looked for, with a sentence on the rule that it breaks. */
const MISTAKES: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'A server name has at least one character.'],
  [/^[a-z]{1,10}:\/\//i, 'A server name is not a web address: leave out the scheme (https://) and the path.'],
  [/^[@#!]/, 'This looks like a user or room ID; the server name is what follows its first colon.'],
  [/^\[/, 'Brackets must contain an IPv6 address, and only a port may follow them: [2001:db8::1]:8448.'],
  [/^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*$/i, 'An IPv6 address needs brackets: [2001:db8::1].'],
  [/^[ -~]*:/, 'The colon must separate a host name from a port between 1 and 65535.'],
  [/[^ -~]/, 'A character is not allowed in a server name; write an international name in its xn-- form.'],
  [
    /[^0-9A-Za-z.-]/,
    'A character is not allowed in a server name: only letters, digits, dots and hyphens are.',
  ],
];

/** Why a text is not a server name (Matrix spec, "Server name"), as a sentence for people; null for server names. */
export function serverNameError(text: string): string | null {
  if (parseServerName(text) !== null) return null;
  if (text.length > MAX_HOST_LENGTH) return `A host name has at most ${MAX_HOST_LENGTH} characters.`;
  return MISTAKES.find(([mistake]) => mistake.test(text))?.[1] ?? 'This is not a server name.';
}

const MAX_USER_ID_LENGTH = 255;
/** Local parts of old accounts hold more than the grammar allows today; blanks and control characters never. */
const LOCAL_PART = /^@[\x21-\x39\x3b-\x7e]+:/;

/** Whether a text is a user ID, `@name:server.name`; Matrix spec, "User Identifiers", historical ones included. */
export function isUserId(text: string): boolean {
  if (text.length > MAX_USER_ID_LENGTH || !LOCAL_PART.test(text)) return false;
  return parseServerName(text.slice(text.indexOf(':') + 1)) !== null;
}

/** Where the list stands, or one entry of it, such as `config.yaml:12`; `null` when that is not known. */
export type OriginOf = (position: number | null) => string | null;

/** Setting federation_domain_whitelist, which operators may change while the service runs. */
export class FederationWhitelist {
  #list: readonly string[] = [];
  #names: ReadonlySet<string> | null = null;
  #originOf: OriginOf = () => null;

  /** `names` null: not configured, every server may be asked; empty: none. */
  constructor(names: readonly string[] | null, originOf: OriginOf = () => null) {
    this.replace(names, originOf);
  }

  /** The servers that may be asked; `null` when all may. */
  get names(): ReadonlySet<string> | null {
    return this.#names;
  }

  /** Which setting decides on a server and where it stands, with the entry that names it where there is one. */
  sourceOf(serverName: string): string {
    const position = this.#list.indexOf(serverName);
    const origin = this.#originOf(position === -1 ? null : position);
    const entry = position === -1 ? '' : `entry ${position + 1} of `;
    return `${entry}federation_domain_whitelist${origin === null ? '' : ` (${origin})`}`;
  }

  /** Whether a server may be asked for its keys (SPEC §4.4.6). Names are compared whole. */
  allows(serverName: string): boolean {
    return this.#names === null || this.#names.has(serverName);
  }

  /** Takes other names from now on; fetches under way go on. */
  replace(names: readonly string[] | null, originOf: OriginOf): void {
    this.#list = names ?? [];
    this.#names = names === null ? null : new Set(names);
    this.#originOf = originOf;
  }
}
