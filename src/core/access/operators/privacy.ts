import { isRecord } from '../../base/json/is-record.js';
import { hasRole, type Role } from './viewer.js';

/** Setting admin.privacy; `auto` depends on the role. */
export type Hiding = 'auto' | 'always' | 'never';

/** Which parts of previews operators see: a list of previews is a list of what people read. */
export class Privacy {
  constructor(private readonly hiding: Hiding) {}

  /** A user ID; `null` when hidden, by default from all but admins. */
  owner(role: Role, userId: string | null): string | null {
    return this.#shows(role, 'admin') ? userId : null;
  }

  /** Details of an audit entry; a user ID of its filter is hidden as in lists. */
  auditDetail(role: Role, detail: unknown): unknown {
    const filter = isRecord(detail) ? detail['filter'] : null;
    if (!isRecord(filter) || typeof filter['owner'] !== 'string') return detail;
    return { ...Object(detail), filter: { ...filter, owner: this.owner(role, filter['owner']) } };
  }

  /** A URL with `…` for user name and password, and, by default for viewers, for query string and fragment. */
  url(role: Role, url: string): string {
    const [, scheme = '', user = '', open = url, query = '', fragment = ''] = PARTS.exec(url) ?? [];
    const end = this.showsPages(role) ? query + fragment : hidden(query) + hidden(fragment);
    return scheme + (user === '' ? '' : '…@') + open + end;
  }

  /** Whether stored pages may be loaded as they are: they contain their own whole address, and more. */
  showsPages(role: Role): boolean {
    return this.#shows(role, 'operator');
  }

  #shows(role: Role, lowest: Role): boolean {
    return this.hiding === 'never' || (this.hiding === 'auto' && hasRole(role, lowest));
  }
}

/** Scheme with all that URL parsers allow around it, user, the open part, query, fragment. */
const PARTS =
  /^([\0-\x20]*[a-z][a-z0-9+.\t\r\n-]*:[/\\\t\r\n]*)?([^/\\?#\t\r\n][^/\\?#]*@|@)?([^?#]*)(\?[^#]*)?(#.*)?$/is;

/** User names and passwords of addresses anywhere in a text, as `…`. */
export function withoutUsers(text: string): string {
  return text.replaceAll(/([a-z][a-z0-9+.-]{0,30}:[/\\]{2})[^/\\?#\s@]+@/gi, '$1…@');
}

/** The delimiter with an ellipsis; only the delimiter when nothing follows it. */
function hidden(part: string): string {
  return part.length > 1 ? `${part[0]}…` : part;
}
