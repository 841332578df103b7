import { parseIpAddress } from '../../net/address/ip-address.js';
import { quoteForDetail } from '../../base/text/quote-for-detail.js';
import { parseServerName } from './server-name.js';

/**
 * Which rule of the grammar a text breaks that is no server name (Matrix spec, "Server name"), as a sentence for
 * people; null for server names. Looks for what people paste: addresses of pages, user IDs, spaces, bad ports.
 */
export function serverNameError(text: string): string | null {
  if (parseServerName(text) !== null) return null;
  return RULES.find(({ breaks }) => breaks(text))?.error(text) ?? 'This is no server name.';
}

interface Rule {
  breaks: (text: string) => boolean;
  error: (text: string) => string;
}

const MAX_LENGTH = 255;

const RULES: readonly Rule[] = [
  { breaks: (text) => text === '', error: () => 'A server name has at least one character.' },
  {
    breaks: (text) => /^[a-z]{1,10}:\/\//i.test(text),
    error: () => 'A server name is no web address: leave out the scheme (https://) and the path.',
  },
  {
    breaks: (text) => text.startsWith('@') || text.startsWith('#') || text.startsWith('!'),
    error: () => 'This looks like a user or room ID; the server name is what follows its first colon.',
  },
  {
    breaks: (text) => hostOf(text).length > MAX_LENGTH,
    error: (text) => `A host name has at most ${MAX_LENGTH} characters; this one has ${hostOf(text).length}.`,
  },
  { breaks: (text) => text.startsWith('['), error: bracketError },
  {
    breaks: (text) => text.split(':').length > 2 && parseIpAddress(text) !== null,
    error: (text) => `An IPv6 address stands in brackets: [${text}].`,
  },
  { breaks: (text) => strangeIn(hostOf(text)) !== undefined, error: characterError },
  { breaks: (text) => hostOf(text) === '', error: () => 'There is no host name in front of the port.' },
  { breaks: (text) => text.includes(':'), error: (text) => portError(text.slice(hostOf(text).length)) },
];

/** What stands before the first colon, or the brackets with what they hold. */
function hostOf(text: string): string {
  const end = text.startsWith('[') ? text.indexOf(']') + 1 : text.indexOf(':');
  return end < 0 || (end === 0 && text.startsWith('[')) ? text : text.slice(0, end);
}

function strangeIn(host: string): string | undefined {
  return /[^0-9A-Za-z.-]/u.exec(host)?.[0];
}

function characterError(text: string): string {
  const strange = strangeIn(hostOf(text)) ?? '';
  const what = quoteForDetail(strange);
  if (strange > '\u007f') {
    return `The character ${what} is not allowed in a server name; write an international name in its xn-- form.`;
  }
  return `The character ${what} is not allowed in a server name: only letters, digits, dots and hyphens are.`;
}

function bracketError(text: string): string {
  const end = text.indexOf(']');
  if (end < 0) return 'The bracket of the IPv6 address is not closed.';
  const inner = text.slice(1, end);
  if (!inner.includes(':') || parseIpAddress(inner) === null)
    return 'There is no IPv6 address in the brackets.';
  return portError(text.slice(end + 1));
}

/** `rest` is what follows the host. */
function portError(rest: string): string {
  if (!rest.startsWith(':')) return 'After the closing bracket only a colon and a port may follow.';
  const port = rest.slice(1);
  if (port === '') return 'There is no port after the colon.';
  return `${quoteForDetail(port)} is no port: ports are numbers from 1 to 65535.`;
}
