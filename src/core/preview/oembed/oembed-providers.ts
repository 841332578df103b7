import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

import { compileGlob } from '../rules/url-pattern.js';
import { valueAt } from '../../base/json/is-record.js';
import type { Logger } from '../../base/logger.js';
import { Remembered } from '../../base/runtime/cache.js';

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

const PATTERN = /^(https?):\/\/([^/?#]+)((?:[/?#].*)?)$/;
const HOST_LABEL = /^[A-Za-z0-9_-]+$/;
const MAX_PATTERN_LENGTH = 1000;

/**
 * Compiles a URL scheme of an oEmbed provider (oEmbed §2.1): in the host `*` stands for one label or a part of one,
 * elsewhere for one or more characters, `/` included; the whole URL must match. Null for what is no http or https
 * pattern. Matching takes time in proportion to the URL.
 */
export function compileScheme(pattern: string): SchemeTest | null {
  const parts = pattern.length > MAX_PATTERN_LENGTH ? null : PATTERN.exec(pattern);
  if (parts === null) return null;
  const [, protocol = '', host = '', rest = ''] = parts;
  const isHost = compileHost(host.toLowerCase());
  const isRest = compileGlob(asGlob(rest));
  const start = `${protocol}://`;
  return (url) => {
    if (!url.startsWith(start)) return false;
    const end = hostEnd(url, start.length);
    return isHost(url.slice(start.length, end).toLowerCase()) && isRest(url.slice(end));
  };
}

function compileHost(pattern: string): (host: string) => boolean {
  const labels = pattern.split('.').map((label) => {
    if (!label.includes('*')) return (text: string) => text === label;
    const isLabel = compileGlob(asGlob(label));
    return (text: string) => HOST_LABEL.test(text) && isLabel(text);
  });
  return (host) => {
    const given = host.split('.');
    return given.length === labels.length && labels.every((isLabel, index) => isLabel(given[index] ?? ''));
  };
}

/** A shell pattern with the same meaning: only `*` is special, and it is never empty. */
function asGlob(pattern: string): string {
  return pattern.replaceAll(/[?[]/g, '[$&]').replaceAll('*', '?*');
}

function hostEnd(url: string, from: number): number {
  for (let at = from; at < url.length; at += 1) {
    if (url[at] === '/' || url[at] === '?' || url[at] === '#') return at;
  }
  return url.length;
}

interface OembedEndpoint {
  /** Answers JSON; may hold `{format}` and a query of its own. */
  readonly url: string;
  readonly schemes: readonly SchemeTest[];
}

/** A registry file as read: what can be used, and the number of endpoints and schemes that cannot. */
interface ProviderList {
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

/**
 * Reads one file in the public registry format.
 * @throws Error naming the file.
 */
async function readRegistryFile(file: string): Promise<ProviderList> {
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

/**
 * The whole public registry, for pages that came back blocked or empty. Read with the first question, so that a
 * server that needs no fallback keeps its memory.
 */
export class FallbackProviders {
  readonly #providers: Remembered<OembedProviders>;

  /** `file`: another registry in its file format than that of the package. */
  constructor(file: string | null = null) {
    this.#providers = new Remembered(() => loadRegistry(file));
  }

  /** oEmbed address of the URL, null when the registry does not know it. */
  async findFallback(url: string): Promise<string | null> {
    const providers = await this.#providers.get();
    // A fifth of the registry's schemes are older than https.
    return providers.addressFor(url) ?? providers.addressFor(url.replace(/^https:/, 'http:'));
  }
}

async function loadRegistry(file: string | null): Promise<OembedProviders> {
  const { endpoints } = await readRegistryFile(
    file ?? createRequire(import.meta.url).resolve('oembed-providers'),
  );
  return new OembedProviders(endpoints.filter(({ url }) => !url.startsWith(CLOSED)));
}
