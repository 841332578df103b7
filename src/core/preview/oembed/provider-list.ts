import { valueAt } from '../../base/json/is-record.js';
import { compileScheme, type SchemeTest } from './scheme-pattern.js';

/** One endpoint of a provider, ready to be asked. */
export interface OembedEndpoint {
  /** Answers JSON; may hold `{format}` and a query of its own. */
  readonly url: string;
  readonly schemes: readonly SchemeTest[];
}

/** A registry file as read: what can be used, and the number of endpoints and schemes that cannot. */
export interface ProviderList {
  readonly endpoints: readonly OembedEndpoint[];
  readonly skipped: number;
}

/**
 * Reads a registry in the public format (oembed.com/providers.json). Endpoints that are XML only, and entries or
 * schemes that are unusable, are left out and counted.
 * @throws Error when the value is no list at all.
 */
export function readProviderList(value: unknown): ProviderList {
  if (!Array.isArray(value)) throw new Error('an oEmbed registry must be a list of providers');
  const endpoints: OembedEndpoint[] = [];
  let skipped = 0;
  for (const provider of value as unknown[]) {
    const listed = valueAt(provider, ['endpoints']);
    if (!Array.isArray(listed)) {
      skipped += 1;
      continue;
    }
    for (const entry of listed as unknown[]) {
      const { endpoint, unusable } = readEndpoint(entry);
      if (endpoint !== null) endpoints.push(endpoint);
      skipped += unusable;
    }
  }
  return { endpoints, skipped };
}

/**
 * The same of a file's text.
 * @throws Error when it is no list in JSON.
 */
export function parseProviderList(text: string): ProviderList {
  return readProviderList(JSON.parse(text));
}

function readEndpoint(entry: unknown): { endpoint: OembedEndpoint | null; unusable: number } {
  const url = valueAt(entry, ['url']);
  const listed = valueAt(entry, ['schemes']);
  if (typeof url !== 'string' || !isUsableAddress(url)) return { endpoint: null, unusable: 1 };
  if (!Array.isArray(listed)) return { endpoint: null, unusable: 1 };
  // Not a defect of the list: the provider speaks XML only.
  if (isXmlOnly(url, valueAt(entry, ['formats']))) return { endpoint: null, unusable: 0 };
  const schemes = (listed as unknown[]).map((scheme) =>
    typeof scheme === 'string' ? compileScheme(scheme) : null,
  );
  const usable = schemes.filter((scheme) => scheme !== null);
  return {
    endpoint: usable.length === 0 ? null : { url, schemes: usable },
    unusable: schemes.length - usable.length + (schemes.length === 0 ? 1 : 0),
  };
}

function isUsableAddress(url: string): boolean {
  return /^https?:\/\//.test(url) && URL.canParse(url.replaceAll('{format}', 'json'));
}

function isXmlOnly(url: string, formats: unknown): boolean {
  return url.endsWith('.xml') || (Array.isArray(formats) && !formats.includes('json'));
}
