/** How pages are read in this run, unless a test says so itself. */
export const EXTRACTION: 'standard' | 'enhanced' =
  process.env['TEST_EXTRACTION'] === 'standard' ? 'standard' : 'enhanced';

/** Options of a test that fails with `standard`, which reads pages more plainly. */
export function onlyEnhanced(): { fails: boolean } {
  return { fails: EXTRACTION === 'standard' };
}
