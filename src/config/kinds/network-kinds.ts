import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { kindOf, objectTo } from './value-kinds.js';

const HOST_NAME = /^[A-Za-z0-9.-]{1,255}$/;

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

/** A plain IP address. */
export const address = () =>
  refined('an IP address', (value) => (isAddress(value) ? null : `is "${value}", no IP address`));

/** A DNS server: address with an optional port. */
export const dnsServer = () =>
  refined('an IP address with an optional port, such as 127.0.0.1:53 or [::1]:53', (value) => {
    const match = /^(?:\[([^\]]+)\]|([^:]+|[^[\]]+))(?::(\d{1,5}))?$/.exec(value);
    const host = match?.[1] ?? match?.[2] ?? '';
    return (isAddress(value) || isAddress(host)) && isPort(match?.[3]) ? null : `is "${value}"`;
  });

/** An absolute address of one of the given schemes, without query and fragment; a final `/` is added. */
export const baseUrl = (...schemes: readonly string[]) => {
  const form = `an address such as ${schemes[0]}://example.org/`;
  return kindOf(
    z.string({ error: form }).transform((value, context) => {
      const url = tryUrl(value);
      if (url === null || !schemes.includes(url.protocol.slice(0, -1))) {
        return objectTo(context, form, { problem: 'is no address of that form' });
      }
      if (url.search !== '' || url.hash !== '') {
        return objectTo(context, form, { problem: 'has a query or a fragment' });
      }
      return value.endsWith('/') ? value : `${value}/`;
    }),
    form,
  );
};

function serverNameProblem(value: string): string | null {
  if (value.includes('*')) return `is "${value}"; names are compared whole, there are no patterns here`;
  if (/^[a-z]+:\/\//i.test(value)) return `is "${value}", an address; only the name is wanted`;
  const match = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(value);
  const host = match?.[1] ?? '';
  const isLiteral = host.startsWith('[') && ipaddr.IPv6.isValid(host.slice(1, -1)) && !host.includes('%');
  return (isLiteral || HOST_NAME.test(host)) && isPort(match?.[2]) ? null : `is "${value}"`;
}

function rangeProblem(value: string): string | null {
  const [base = '', prefix, ...rest] = value.split('/');
  if (!isAddress(base) || rest.length > 0) return `is "${value}"`;
  if (prefix === undefined) return null;
  const longest = base.includes(':') ? 128 : 32;
  if (/^\d{1,3}$/.test(prefix) && Number(prefix) <= longest) return null;
  return `is "${value}"; the part after / is a number from 0 to ${longest}`;
}

function isAddress(value: string): boolean {
  if (value.includes('%')) return false;
  return ipaddr.IPv4.isValidFourPartDecimal(value) || ipaddr.IPv6.isValid(value);
}

function isPort(port: string | undefined): boolean {
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535);
}

function tryUrl(value: string): URL | null {
  return URL.canParse(value) ? new URL(value) : null;
}
