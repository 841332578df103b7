import { z } from 'zod';

import type { InstanceMessages } from '../../store/instances/instance-messages.js';
import type { WorkLeases } from '../../store/instances/work-leases.js';
import type { PreviewCache } from './preview-cache.js';
import { PREVIEW_LEASES, previewLease } from './shared-making.js';

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
    private readonly others: { messages: InstanceMessages; leases: WorkLeases },
  ) {
    others.messages.on(TOPIC, {
      schema: WHICH,
      receive: (which) => void this.#forgetHere(which),
      lost: () => void cache.clear(),
    });
  }

  /** Forgets addresses; resolves to those that this instance remembered. Who waits for one still gets it. */
  async forget(urls: readonly string[]): Promise<string[]> {
    if (urls.length === 0) return [];
    const gone = this.#forgetHere({ urls: [...urls] });
    await this.others.leases.forget(urls.map(previewLease));
    await this.others.messages.send(TOPIC, { urls });
    return gone;
  }

  /** Forgets everything, or all that failed; resolves to the addresses that this instance remembered. */
  async forgetAll({ failedOnly }: { failedOnly: boolean }): Promise<string[]> {
    const which: Which = { all: true, failedOnly };
    const gone = this.#forgetHere(which);
    await this.others.leases.forget({ prefix: PREVIEW_LEASES });
    await this.others.messages.send(TOPIC, which);
    return gone;
  }

  #forgetHere(which: Which): string[] {
    const urls =
      'urls' in which
        ? which.urls
        : this.cache
            .list()
            .filter(({ state }) => !which.failedOnly || state === 'failed')
            .map(({ url }) => url);
    return urls.filter((url) => this.cache.forget(url));
  }
}
