import type { OpenGraph } from '../open-graph.js';
import { resolveAddress } from '../page-address.js';
import { canBeImage, isUnfilled, keyOf } from './image-address.js';

/** An image's absolute address, where the page gives it, and what it says of it. */
export interface ImageCandidate {
  address: string;
  readonly origin: string;
  readonly facts: OpenGraph;
}

/** Distinct addresses that can be images, in the order of adding. */
export class ImageCandidates {
  private readonly pageKey: string;
  private readonly byKey = new Map<string, ImageCandidate>();

  /** `page` is where the page was found, `base` what its addresses are relative to. */
  constructor(private readonly at: { page: URL; base: URL }) {
    this.pageKey = keyOf(at.page);
  }

  /**
   * Those of `raw`, as written in the page, that are new, can be images and are not `refused`; `most` at most.
   */
  take(
    raw: Iterable<string>,
    origin: string,
    { most, refused }: { most: number; refused: (address: string) => boolean },
  ): ImageCandidate[] {
    const taken: ImageCandidate[] = [];
    for (const written of raw) {
      if (taken.length >= most) break;
      const text = plain(written);
      const candidate = refused(text) ? null : this.add(text, origin);
      if (candidate !== null) taken.push(candidate);
    }
    return taken;
  }

  /** The one that was taken for an address as written. */
  find(written: string): ImageCandidate | null {
    const address = resolveAddress(plain(written), this.at.base);
    const key = address === null ? null : this.keyOf(address);
    return key === null ? null : (this.byKey.get(key) ?? null);
  }

  private add(text: string, origin: string): ImageCandidate | null {
    if (text === '' || isUnfilled(text)) return null;
    const address = resolveAddress(text, this.at.base);
    const key = address === null ? null : this.keyOf(address);
    if (address === null || key === null) return null;
    const known = this.byKey.get(key);
    if (known === undefined) {
      const candidate = { address, origin, facts: new Map() };
      this.byKey.set(key, candidate);
      return candidate;
    }
    if (known.address.startsWith('http:') && address.startsWith('https:')) known.address = address;
    return null;
  }

  /** Null for what is no image, the page itself among it. */
  private keyOf(address: string): string | null {
    if (address.startsWith('data:')) return /^data:image\//i.test(address.slice(0, 20)) ? address : null;
    const url = new URL(address);
    const key = keyOf(url);
    return canBeImage(url) && key !== this.pageKey ? key : null;
  }
}

/** Some pages escape their addresses twice. */
function plain(written: string): string {
  const text = written.trim();
  return text.startsWith('data:') ? text : text.replaceAll('&amp;', '&');
}
