import { createRequire } from 'node:module';

import { Remembered } from '../../base/remembered.js';
import { OembedProviders, readRegistryFile } from './oembed-providers.js';

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
