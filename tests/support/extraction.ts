/** How pages are read in this run, unless a test says so itself. */
export const EXTRACTION: 'standard' | 'enhanced' =
  process.env['TEST_EXTRACTION'] === 'standard' ? 'standard' : 'enhanced';

/**
 * Options of a test of what `standard` does otherwise, where it has to fail. `decision` is the line of
 * docs/decisions/previews.md that tells the difference.
 */
export function onlyEnhanced(_decision: `P-${number}`): { fails: boolean } {
  return { fails: EXTRACTION === 'standard' };
}
