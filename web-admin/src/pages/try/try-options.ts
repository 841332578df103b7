import type { TryPreviewMutationVariables } from '../../gql/graphql.js';

/** What can be chosen beside the address; texts as typed. */
export interface TryOptions {
  ignoreCaches: boolean;
  store: boolean;
  /** `datetime-local` text, read as UTC; empty = now. */
  at: string;
  /** Comma-separated, as in Accept-Language; empty = those of the settings. */
  languages: string;
}

export const NO_OPTIONS: TryOptions = { ignoreCaches: true, store: false, at: '', languages: '' };

/** The mutation's variables. */
export function inputOf(
  url: string,
  { ignoreCaches, store, at, languages }: TryOptions,
): TryPreviewMutationVariables {
  const wanted = languages
    .split(',')
    .map((language) => language.trim())
    .filter((language) => language !== '');
  return {
    url,
    ignoreCaches,
    store,
    ts: at === '' ? null : Date.parse(`${at}Z`),
    acceptLanguage: wanted.length === 0 ? null : wanted,
  };
}
