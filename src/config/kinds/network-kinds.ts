import { z } from 'zod';

import { parseServerName } from '../../core/notary/federation/server-name.js';
import { compileAddressRanges } from '../../core/net/address/address-policy.js';
import { parseIpAddress } from '../../core/net/address/ip-address.js';
import { parseUrl } from '../../core/base/text/url.js';
import { kindOf, objectTo } from './value-kinds.js';

const checked = (form: string, isRight: (value: string) => boolean) =>
  kindOf(z.string({ error: form }).refine(isRight, { error: form }), form);

/** A server name: host, IPv4 or [IPv6], with an optional port; Matrix spec, "Server name" grammar. */
export const serverName = () =>
  checked(
    'a server name such as example.org, example.org:8448 or [2001:db8::1]',
    (value) => parseServerName(value) !== null,
  );

/** One address, or a range in CIDR form. IPv4-mapped forms are covered by their IPv4 range. */
export const addressRange = () =>
  checked('an IP address or a range such as 10.0.0.0/8 or fc00::/7', (value) => {
    try {
      compileAddressRanges([value]);
      return true;
    } catch {
      return false;
    }
  });

export const address = () => checked('an IP address', isAddress);

export const dnsServer = () =>
  checked('an IP address with an optional port, such as 127.0.0.1:53 or [::1]:53', (value) => {
    const [, inBrackets, plain, port = '53'] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(value) ?? [];
    const isPort = Number(port) >= 1 && Number(port) <= 65_535;
    return isAddress(value) || (isAddress(inBrackets ?? plain ?? '') && isPort);
  });

/** An absolute address of one of the given schemes, without query and fragment; a final `/` is added. */
export const baseUrl = (...schemes: readonly string[]) => {
  const form = `an address such as ${schemes[0]}://example.org/`;
  return kindOf(
    z.string({ error: form }).transform((value, context) => {
      const url = parseUrl(value);
      const isRight = url !== null && schemes.includes(url.protocol.slice(0, -1));
      // Not the value: it may hold a password.
      if (!isRight) return objectTo(context, form, 'is not an address of that form');
      if (url.search !== '' || url.hash !== '') return objectTo(context, form, 'has a query or a fragment');
      return value.endsWith('/') ? value : `${value}/`;
    }),
    form,
  );
};

/** An http or https address that is asked as it stands. Pages show it, so it has no password. */
export const askedAddress = () =>
  checked('an http or https address without user name, password and fragment', (value) => {
    const url = value.length > 2000 ? null : parseUrl(value);
    if (url === null) return false;
    const { protocol, username, password, hash } = url;
    return ['http:', 'https:'].includes(protocol) && `${username}${password}${hash}` === '';
  });

function isAddress(value: string): boolean {
  return parseIpAddress(value) !== null;
}
