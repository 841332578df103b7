import type { Param } from '../../url/params.js';
import type { ChipGroup } from './chips.js';
import { qualifier, type Qualifier } from './qualifiers.js';

/** What may be typed after `host:`. */
export const HOST_HINT =
  'host:example.org is that host, host:*.example.org those below it, host:.example.org both';

/** The same host, with those below it or without. */
export function withSubdomains(host: string, isWanted: boolean): string {
  const name = host.replace(/^\*?\./, '');
  return isWanted ? `.${name}` : name;
}

/** A filter by host in words. */
export function hostWords(host: string): string {
  if (host.startsWith('*.')) return `hosts below ${host.slice(2)}`;
  return host.startsWith('.') ? `host ${host.slice(1)} with subdomains` : `host ${host}`;
}

/** What `host:` sets. */
export function hostQualifier(param: Param<string>, onChange: (host: string) => void): Qualifier {
  const set = qualifier(param, onChange);
  return (host) => set(host.toLowerCase());
}

/** The pill of a filter by host; none without one. */
export function hostPills(host: string, onChange: (host: string) => void) {
  return host === '' ? [] : [{ label: hostWords(host), onRemove: () => onChange('') }];
}

/** The switch beside it. */
export function subdomainChips(host: string, onChange: (host: string) => void): ChipGroup[] {
  if (host === '') return [];
  return [
    {
      label: 'Subdomains',
      value: host.startsWith('.') ? 'yes' : null,
      options: [{ value: 'yes', label: 'With subdomains' }],
      onChange: (value) => onChange(withSubdomains(host, value !== null)),
    },
  ];
}
