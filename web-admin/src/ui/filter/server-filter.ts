import { hostWords } from './host-filter.js';

/** What may be typed after `server:`. */
export const SERVER_HINT =
  'server:example.org is that server, server:*.example.org those below it, server:.example.org both';

/** The pill of a filter by server; none without one. */
export function serverPills(server: string, onChange: (server: string) => void) {
  if (server === '') return [];
  return [{ label: hostWords(server).replace(/^host/, 'server'), onRemove: () => onChange('') }];
}
