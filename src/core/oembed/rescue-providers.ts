import { createRequire } from 'node:module';

import { OembedProviders, readRegistryFile } from './oembed-providers.js';

/** Answer only to applications that registered with them. */
const CLOSED = 'https://graph.facebook.com/';

/**
 * The whole public registry, for pages that came back blocked or empty. Read with the first question, so that a
 * server that needs no rescue keeps its memory.
 */
export class RescueProviders {
  #providers: Promise<OembedProviders> | null = null;

  /** oEmbed address of the URL, null when the registry does not know it. */
  async findRescue(url: string): Promise<string | null> {
    this.#providers ??= loadRegistry();
    const providers = await this.#providers;
    // A fifth of the registry's schemes are older than https.
    return providers.addressFor(url) ?? providers.addressFor(url.replace(/^https:/, 'http:'));
  }
}

async function loadRegistry(): Promise<OembedProviders> {
  const file = createRequire(import.meta.url).resolve('oembed-providers');
  const { endpoints } = await readRegistryFile(file);
  return new OembedProviders(endpoints.filter(({ url }) => !url.startsWith(CLOSED)));
}
