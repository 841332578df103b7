import type { Candidates } from './candidates.js';

/** Characters of an address. */
export const MAX_ADDRESS_LENGTH = 8_192;
const MAX_DATA_TEXT = 4_194_304;

/** Long values are kept only as data URLs, and of these only a few megabytes in all, which `found` counts. */
export function isKept(found: Candidates, value: string, limit: number): boolean {
  if (value.length <= limit) return true;
  if (!value.startsWith('data:')) return false;
  found.dataText += value.length;
  return found.dataText <= MAX_DATA_TEXT;
}
