const WIDEST_USEFUL = 2_000;
const MAX_ENTRIES = 50;

/** The largest useful entry of a srcset; HTML §4.8.4.2.1. */
export function bestOfSet(srcset: string): string | null {
  let best: string | null = null;
  let bestSize = -1;
  for (const entry of srcset.split(/,\s+|,(?=https?:|\/)/).slice(0, MAX_ENTRIES)) {
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
