import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

import { compileGlob } from '../rules/url-rules.js';
import { valueAt } from '../../base/json/is-record.js';
import type { Logger } from '../../base/logger.js';

const provider = (url: string, schemes: readonly string[]) => ({ endpoints: [{ url, schemes }] });

/**
 * Providers asked instead of the page, in the public registry format: only those whose own pages tell a crawler
 * nothing, because an oEmbed answer replaces the page and carries no description of its own (SPEC §4.7.4).
 */
const DEFAULT_OEMBED_PROVIDERS = [
  provider('https://publish.x.com/oembed', ['https://x.com/*/status/*', 'https://*.x.com/*/status/*']),
  provider('https://publish.twitter.com/oembed', [
    'https://twitter.com/*/status/*',
    'https://*.twitter.com/*/status/*',
    'https://twitter.com/*/moments/*',
    'https://*.twitter.com/*/moments/*',
  ]),
  provider('https://www.youtube.com/oembed', [
    'https://youtube.com/shorts/*',
    'https://*.youtube.com/shorts/*',
  ]),
];

type SchemeTest = (url: string) => boolean;

/** Protocol, host and the rest, of a pattern or an address. */
const PARTS = /^(https?):\/\/([^/?#]+)((?:[/?#].*)?)$/s;
const HOST = /^[\w.-]+$/;
const MAX_PATTERN_LENGTH = 1000;

/**
 * Compiles a URL scheme of an oEmbed provider (oEmbed §2.1): in the host `*` stands for one label or a part of one,
 * elsewhere for one or more characters, `/` included; the whole URL must match. Null for what is no http or https
 * pattern. Matching takes time in proportion to the URL.
 */
export function compileScheme(pattern: string): SchemeTest | null {
  const parts = pattern.length > MAX_PATTERN_LENGTH ? null : PARTS.exec(pattern);
  if (parts === null) return null;
  const [, protocol = '', host = '', rest = ''] = parts;
  const isHost = compileGlob(asGlob(host.toLowerCase()));
  const isRest = compileGlob(asGlob(rest));
  const isAnyHost = host.includes('*') ? HOST : /^/;
  const labels = host.split('.').length;
  return (url) => {
    if (!url.startsWith(`${protocol}://`)) return false;
    const [, , given = '', behind = ''] = PARTS.exec(url) ?? [];
    // With as many labels no `*` stands for a dot.
    const isFit = given.split('.').length === labels && isAnyHost.test(given);
    return isFit && isHost(given.toLowerCase()) && isRest(behind);
  };
}

/** A shell pattern with the same meaning: only `*` is special, and it is never empty. */
function asGlob(pattern: string): string {
  return pattern.replaceAll(/[?[]/g, '[$&]').replaceAll('*', '?*');
}

interface OembedEndpoint {
  /** Answers JSON; may hold `{format}` and a query of its own. */
  readonly url: string;
  readonly schemes: readonly SchemeTest[];
}

/**
 * Reads a registry in the public format (oembed.com/providers.json). Endpoints that are XML only, and entries or
 * schemes that are unusable, are left out, the latter counted in `skipped`.
 * @throws Error when the value is no list at all.
 */
export function readProviderList(value: unknown) {
  if (!Array.isArray(value)) throw new Error('an oEmbed registry must be a list of providers');
  let skipped = 0;
  const skip = (): [] => {
    skipped += 1;
    return [];
  };
  const listOf = (owner: unknown, key: string): unknown[] => {
    const listed = valueAt(owner, [key]);
    return Array.isArray(listed) ? listed : skip();
  };
  const endpoints = value.flatMap((provider: unknown) =>
    listOf(provider, 'endpoints').flatMap((entry): OembedEndpoint[] => {
      const url = valueAt(entry, ['url']);
      if (typeof url !== 'string' || !isUsableAddress(url)) return skip();
      if (isXmlOnly(url, valueAt(entry, ['formats']))) return [];
      const schemes = listOf(entry, 'schemes').flatMap((pattern) => {
        const scheme = typeof pattern === 'string' ? compileScheme(pattern) : null;
        return scheme ?? skip();
      });
      return [{ url, schemes }];
    }),
  );
  return { endpoints, skipped };
}

/** The same of a file's text. @throws Error when it is no list in JSON. */
export const parseProviderList = (text: string) => readProviderList(JSON.parse(text));

function isUsableAddress(url: string): boolean {
  return /^https?:\/\//.test(url) && URL.canParse(url.replaceAll('{format}', 'json'));
}

function isXmlOnly(url: string, formats: unknown): boolean {
  return url.endsWith('.xml') || (Array.isArray(formats) && !formats.includes('json'));
}

interface OembedProviderOptions {
  useDefaults: boolean;
  /** Registry files in the public format, read in this order after the built-in list. */
  additionalFiles: readonly string[];
  logger: Logger;
}

/** Finds the oEmbed address of a URL by provider patterns; the first endpoint that matches counts. */
export class OembedProviders {
  constructor(private readonly endpoints: readonly OembedEndpoint[]) {}

  /** Address that answers JSON about the URL, null when no provider knows it. Linear in the URL's length. */
  addressFor(url: string): string | null {
    const endpoint = this.endpoints.find(({ schemes }) => schemes.some((matches) => matches(url)));
    return endpoint === undefined ? null : requestAddress(endpoint.url, url);
  }
}

/**
 * Reads the configured providers. Unusable entries are skipped with one warning for all files.
 * @throws Error naming a file that cannot be read or is no registry: that must stop the start.
 */
export async function loadOembedProviders(options: OembedProviderOptions): Promise<OembedProviders> {
  const lists = options.useDefaults ? [readProviderList(DEFAULT_OEMBED_PROVIDERS)] : [];
  for (const file of options.additionalFiles) lists.push(await readRegistryFile(file));
  const skipped = lists.reduce((total, list) => total + list.skipped, 0);
  if (skipped > 0) options.logger.warn({ skipped }, 'oEmbed providers that cannot be used are skipped');
  return new OembedProviders(lists.flatMap((list) => list.endpoints));
}

/** @throws Error naming the file. */
async function readRegistryFile(file: string) {
  try {
    return parseProviderList(await readFile(file, 'utf8'));
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : 'unreadable';
    throw new Error(`oEmbed provider file ${file} cannot be used: ${problem}`, { cause });
  }
}

/** The endpoint asked for JSON about a URL (oEmbed §2.2), with a query of its own kept. */
function requestAddress(endpoint: string, url: string): string {
  const base = endpoint.replaceAll('{format}', 'json');
  const parameters = new URLSearchParams({ url });
  if (!new URL(base).searchParams.has('format')) parameters.set('format', 'json');
  return `${base}${base.includes('?') ? '&' : '?'}${parameters.toString()}`;
}

/** Answer only to applications that registered with them. */
const CLOSED = 'https://graph.facebook.com/';

/** The public registry, for pages that came back blocked or empty. `file`: another one in its format than the package's. */
export async function loadFallbackProviders(file: string | null): Promise<OembedProviders> {
  const registry = file ?? createRequire(import.meta.url).resolve('oembed-providers');
  const { endpoints } = await readRegistryFile(registry);
  return new OembedProviders(endpoints.filter(({ url }) => !url.startsWith(CLOSED)));
}
