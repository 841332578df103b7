import { z } from 'zod';

import type { InstanceMessages } from '../../store/instances/instance-messages.js';
import type { PreviewCache } from './preview-cache.js';

const TOPIC = 'forget_previews';
const WHICH = z.union([
  z.object({ urls: z.array(z.string()) }),
  z.object({ all: z.literal(true), failedOnly: z.boolean() }),
]);

/** What is to be forgotten. */
type Which = z.infer<typeof WHICH>;

/** Forgets previews in the memory of all instances. */
export class PreviewForgetting {
  constructor(
    private readonly cache: PreviewCache,
    private readonly messages: InstanceMessages,
  ) {
    messages.on(TOPIC, {
      schema: WHICH,
      receive: (which) => void this.#forgetHere(which),
      lost: () => void cache.clear(),
    });
  }

  /** Forgets addresses; resolves to those that this instance remembered. Who waits for one still gets it. */
  async forget(urls: readonly string[]): Promise<string[]> {
    return urls.length === 0 ? [] : this.#forgetEverywhere({ urls: [...urls] });
  }

  /** Forgets everything, or all that failed; resolves to the addresses that this instance remembered. */
  forgetAll({ failedOnly }: { failedOnly: boolean }): Promise<string[]> {
    return this.#forgetEverywhere({ all: true, failedOnly });
  }

  async #forgetEverywhere(which: Which): Promise<string[]> {
    const gone = this.#forgetHere(which);
    await this.messages.send(TOPIC, which);
    return gone;
  }

  #forgetHere(which: Which): string[] {
    const listed = (failedOnly: boolean): string[] =>
      this.cache.list().flatMap(({ url, state }) => (!failedOnly || state === 'failed' ? [url] : []));
    const urls = 'urls' in which ? which.urls : listed(which.failedOnly);
    return urls.filter((url) => this.cache.forget(url));
  }
}
