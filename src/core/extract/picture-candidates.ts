import { resolveAddress } from './page-address.js';
import { canBePicture, isUnfilled, keyOf, showsNothing } from './picture-address.js';

/** A picture's absolute address and where the page gives it. */
export interface PictureCandidate {
  address: string;
  readonly origin: string;
}

/** Distinct addresses that can be pictures, in the order of adding. */
export class PictureCandidates {
  private readonly byKey = new Map<string, PictureCandidate>();

  /** `page` is where the page was found, `base` what its addresses are relative to. */
  constructor(private readonly at: { page: URL; base: URL }) {}

  /** Those of `raw`, as written in the page, that are new and can be pictures; `most` at most. */
  take(raw: Iterable<string>, origin: string, most: number): PictureCandidate[] {
    const taken: PictureCandidate[] = [];
    for (const written of raw) {
      for (const text of readings(written.trim())) {
        if (taken.length >= most) return taken;
        const candidate = this.add(text, origin);
        if (candidate !== null) taken.push(candidate);
      }
    }
    return taken;
  }

  private add(text: string, origin: string): PictureCandidate | null {
    if (text === '' || isUnfilled(text) || showsNothing(text)) return null;
    const address = resolveAddress(text, this.at.base);
    if (address === null || !canBePicture(address, this.at.page)) return null;
    const key = keyOf(address);
    const known = this.byKey.get(key);
    if (known === undefined) {
      const candidate = { address, origin };
      this.byKey.set(key, candidate);
      return candidate;
    }
    if (known.address.startsWith('http:') && address.startsWith('https:')) known.address = address;
    return null;
  }
}

/** An address escaped twice is tried as it was meant, then as it is written. */
function readings(text: string): string[] {
  if (!text.includes('&amp;') || text.startsWith('data:')) return [text];
  return [text.replaceAll('&amp;', '&'), text];
}
