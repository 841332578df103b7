import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

import type { Logger } from '../../base/logger.js';
import { Remembered } from '../../base/remembered.js';
import { DEFAULT_OEMBED_PROVIDERS } from './default-providers.js';
import {
  parseProviderList,
  readProviderList,
  type OembedEndpoint,
  type ProviderList,
} from './provider-list.js';

/** Section `oembed` of the configuration. */
export interface OembedProviderOptions {
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
