import { z } from 'zod';

import { parseServerName } from '../../core/notary/federation/server-name.js';
import { compileAddressRanges } from '../../core/net/address/address-policy.js';
import { parseIpAddress } from '../../core/net/address/ip-address.js';
import { parseUrl } from '../../core/base/text/parse-url.js';
import { kindOf, objectTo } from './value-kinds.js';

const refined = (form: string, problemOf: (value: string) => string | null) =>
  kindOf(
    z.string({ error: form }).superRefine((value, context) => {
      const problem = problemOf(value);
      if (problem !== null) objectTo(context, form, { problem });
    }),
    form,
  );

/** A server name: host, IPv4 or [IPv6], with an optional port; Matrix spec, "Server name" grammar. */
export const serverName = () =>
  refined('a server name such as example.org, example.org:8448 or [2001:db8::1]', serverNameProblem);

/** One address, or a range in CIDR form. IPv4-mapped forms are covered by their IPv4 range. */
export const addressRange = () =>
  refined('an IP address or a range such as 10.0.0.0/8 or fc00::/7', rangeProblem);

export const address = () =>
  refined('an IP address', (value) => (isAddress(value) ? null : `is "${value}", no IP address`));

/** A DNS server: address with an optional port. */
export const dnsServer = () =>
  refined('an IP address with an optional port, such as 127.0.0.1:53 or [::1]:53', (value) => {
    if (isAddress(value)) return null;
    const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(value);
    return isAddress(match?.[1] ?? match?.[2] ?? '') && isPort(match?.[3]) ? null : `is "${value}"`;
  });

/** An absolute address of one of the given schemes, without query and fragment; a final `/` is added. */
export const baseUrl = (...schemes: readonly string[]) => {
  const form = `an address such as ${schemes[0]}://example.org/`;
  return kindOf(
    z.string({ error: form }).transform((value, context) => {
      const url = tryUrl(value);
      if (url === null || !schemes.includes(url.protocol.slice(0, -1))) {
        return objectTo(context, form, { problem: 'is not an address of that form' });
      }
      if (url.search !== '' || url.hash !== '') {
        return objectTo(context, form, { problem: 'has a query or a fragment' });
      }
      return value.endsWith('/') ? value : `${value}/`;
    }),
    form,
  );
};

/** An http or https address that is asked as it stands. Pages show it, so it has no password. */
export const askedAddress = () =>
  refined('an http or https address without user name, password and fragment', (value) =>
    isAskedAddress(value) ? null : 'is not an address of that form',
  );

function isAskedAddress(text: string): boolean {
  const url = text.length > 2000 ? null : parseUrl(text);
  if (url === null) return false;
  const { protocol, username, password, hash } = url;
  return ['http:', 'https:'].includes(protocol) && `${username}${password}${hash}` === '';
}

function serverNameProblem(value: string): string | null {
  if (parseServerName(value) !== null) return null;
  if (value.includes('*')) return `is "${value}"; names are compared whole, there are no patterns here`;
  if (/^[a-z]+:\/\//i.test(value)) return `is "${value}", an address; only the name is wanted`;
  return `is "${value}"`;
}

function rangeProblem(value: string): string | null {
  try {
    compileAddressRanges([value]);
    return null;
  } catch {
    return `is "${value}"`;
  }
}

function isAddress(value: string): boolean {
  return parseIpAddress(value) !== null;
}

function isPort(port: string | undefined): boolean {
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535);
}

function tryUrl(value: string): URL | null {
  return URL.canParse(value) ? new URL(value) : null;
}
