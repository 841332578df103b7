import { isRecord } from '../../base/json/is-record.js';
import { hasRole, type Role } from './viewer.js';

/** `auto` depends on the role; see the settings. */
export type Hiding = 'auto' | 'always' | 'never';

/** Settings admin.privacy. */
export interface PrivacySettings {
  hideOwners: Hiding;
  hideQueryStrings: Hiding;
}

/** What of the people who opened links operators get to see: a list of previews is a list of what people read. */
export class Privacy {
  constructor(private readonly settings: PrivacySettings) {}

  /** A user ID, or `null` when it is none of their business; by default for all but admins. */
  owner(role: Role, userId: string | null): string | null {
    const { hideOwners } = this.settings;
    const isShown = hideOwners === 'never' || (hideOwners === 'auto' && hasRole(role, 'admin'));
    return isShown ? userId : null;
  }

  /** What an audit entry tells, without the user ID that a filter named and parts of deleted addresses, as for lists. */
  auditDetail(role: Role, detail: unknown): unknown {
    if (!isRecord(detail)) return detail;
    const { filter, first } = detail;
    const named = isRecord(filter) && typeof filter['owner'] === 'string' ? filter['owner'] : null;
    return {
      ...detail,
      ...(named === null ? {} : { filter: { ...Object(filter), owner: this.owner(role, named) } }),
      ...(Array.isArray(first) ? { first: first.map((name) => this.url(role, String(name))) } : {}),
    };
  }

  /**
   * A URL, with `…` for what stands before the host: user name and password open what they are for. When query strings
   * are hidden, by default from viewers, so are it and the fragment.
   */
  url(role: Role, url: string): string {
    return this.showsPages(role) ? withoutUser(url) : withoutPrivateParts(url);
  }

  /** Whether stored pages may be loaded as they are: they name their own whole address, and more. */
  showsPages(role: Role): boolean {
    const { hideQueryStrings } = this.settings;
    return hideQueryStrings === 'never' || (hideQueryStrings === 'auto' && hasRole(role, 'operator'));
  }
}

/** Scheme with all that URL parsers let stand around it, user, the open part, query, fragment. */
const PARTS =
  /^([\0-\x20]*[a-z][a-z0-9+.\t\r\n-]*:[/\\\t\r\n]*)?([^/\\?#\t\r\n][^/\\?#]*@|@)?([^?#]*)(\?[^#]*)?(#.*)?$/is;

/** User names and passwords of addresses, wherever they stand in a text, as `…`. */
export function withoutUsers(text: string): string {
  return text.replaceAll(/([a-z][a-z0-9+.-]{0,30}:[/\\]{2})[^/\\?#\s@]+@/gi, '$1…@');
}

function withoutUser(url: string): string {
  const [, scheme = '', user = ''] = PARTS.exec(url) ?? [];
  return user === '' ? url : `${scheme}…@${url.slice(scheme.length + user.length)}`;
}

/** A delimiter with nothing behind it stays. */
function withoutPrivateParts(url: string): string {
  const [, scheme = '', user = '', open = url, query = '', fragment = ''] = PARTS.exec(url) ?? [];
  return scheme + (user === '' ? '' : '…@') + open + hidden(query) + hidden(fragment);
}

/** The delimiter with an ellipsis, or just it when nothing follows. */
function hidden(part: string): string {
  return part.length > 1 ? `${part[0]}…` : part;
}
