const WIDEST_USEFUL = 2_000;
const MAX_ENTRIES = 50;
const MAX_READ_FOR_WIDTH = 4_000;

/** The largest useful entry of a srcset; HTML §4.8.4.2.1. */
export function bestOfSet(srcset: string): string | null {
  let best: string | null = null;
  let bestSize = -1;
  for (const entry of srcset.split(/,\s+|,(?=https?:|\/)/, MAX_ENTRIES)) {
    const [address = '', descriptor = '1x'] = entry.trim().split(/\s+/, 2);
    const number = Number.parseFloat(descriptor);
    const size = descriptor.endsWith('w') ? number : number * 600;
    if (address === '' || address.startsWith('data:') || !(size > 0)) continue;
    const isBetter =
      size <= WIDEST_USEFUL ? size > bestSize || bestSize > WIDEST_USEFUL : best === null || size < bestSize;
    if (isBetter) {
      best = address.replace(/,$/, '');
      bestSize = size;
    }
  }
  return best;
}

/** The width in pixels of the widest entry of a srcset that states one; null without. */
export function widestOfSet(srcset: string): number | null {
  const widths = [...srcset.slice(0, MAX_READ_FOR_WIDTH).matchAll(/\s(\d{1,5})w/g)].map(([, digits]) =>
    Number(digits),
  );
  return widths.length === 0 ? null : Math.max(...widths);
}
