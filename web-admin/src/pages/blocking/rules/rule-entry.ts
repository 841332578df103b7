import type { BlockRuleInput } from '../../../gql/graphql.js';
import type { RuleData, SuggestionData } from '../blocking-query.js';

export type RuleList = SuggestionData['list'];

export const LISTS: readonly { value: RuleList; label: string }[] = [
  { value: 'URL_PREVIEW_URL_BLACKLIST', label: 'Refuse URLs' },
  { value: 'URL_PREVIEW_URL_WHITELIST', label: 'Allow URLs in spite of that' },
  { value: 'URL_PREVIEW_IP_RANGE_BLACKLIST', label: 'Refuse network addresses, for previews' },
  { value: 'URL_PREVIEW_IP_RANGE_WHITELIST', label: 'Allow network addresses, for previews' },
  { value: 'IP_RANGE_BLACKLIST', label: 'Refuse network addresses, for keys' },
  { value: 'IP_RANGE_WHITELIST', label: 'Allow network addresses, for keys' },
];

export const COMPONENTS = [
  { name: 'hostname', label: 'Host', example: '*.example.org' },
  { name: 'path', label: 'Path', example: '/private/*' },
  { name: 'query', label: 'Query', example: '*session=*' },
  { name: 'scheme', label: 'Scheme', example: 'http' },
  { name: 'port', label: 'Port', example: '8080' },
  { name: 'netloc', label: 'User, host and port', example: '*@*' },
  { name: 'username', label: 'User name', example: '*' },
  { name: 'password', label: 'Password', example: '*' },
  { name: 'fragment', label: 'Fragment', example: '*' },
] as const;
/** The others are seldom needed. */
export const OFTEN = 3;

/** A rule as it is being typed. */
export interface RuleEntry {
  list: RuleList;
  range: string;
  parts: Readonly<Record<string, string>>;
  note: string;
  enabled: boolean;
}

export const EMPTY: RuleEntry = {
  list: 'URL_PREVIEW_URL_BLACKLIST',
  range: '',
  parts: {},
  note: '',
  enabled: true,
};

export function isAboutUrls(list: RuleList): boolean {
  return list === 'URL_PREVIEW_URL_BLACKLIST' || list === 'URL_PREVIEW_URL_WHITELIST';
}

export function isAllowing(list: RuleList): boolean {
  return list.endsWith('WHITELIST');
}

/** A suggestion as somebody begins to change it. */
export function entryOfSuggestion({ list, range, parts }: SuggestionData): RuleEntry {
  return { ...EMPTY, list, range: range ?? '', parts: range === null ? byName(parts) : {} };
}

/** A rule as somebody begins to change it. */
export function entryOfRule({ setting, parts, note, standing }: RuleData): RuleEntry {
  const list = LISTS.find(({ value }) => value.toLowerCase() === setting)?.value ?? EMPTY.list;
  const isUrl = isAboutUrls(list);
  return {
    list,
    range: isUrl ? '' : (parts[0]?.pattern ?? ''),
    parts: isUrl ? byName(parts) : {},
    note: note ?? '',
    enabled: standing !== 'DISABLED',
  };
}

export function inputOf({ list, range, parts, note, enabled }: RuleEntry): BlockRuleInput {
  if (!isAboutUrls(list)) return { list, range, parts: [], note, enabled };
  const typed = COMPONENTS.filter(({ name }) => (parts[name] ?? '').trim() !== '');
  return {
    list,
    parts: typed.map(({ name }) => ({ component: UPPER[name], pattern: parts[name] ?? '' })),
    note,
    enabled,
  };
}

const UPPER = {
  hostname: 'HOSTNAME',
  path: 'PATH',
  query: 'QUERY',
  scheme: 'SCHEME',
  port: 'PORT',
  netloc: 'NETLOC',
  username: 'USERNAME',
  password: 'PASSWORD',
  fragment: 'FRAGMENT',
} as const;

function byName(parts: SuggestionData['parts']): Record<string, string> {
  return Object.fromEntries(parts.map(({ component, pattern }) => [component, pattern]));
}
