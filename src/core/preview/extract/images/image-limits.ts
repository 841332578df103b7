/** Candidates a page may give, so that operators see what else there was. */
export const MAX_CANDIDATES = 8;
/** Of those and the one of an oEmbed answer so many are tried (`enhanced`) before a preview goes without. */
export const MAX_TRIED = 5;
/** Candidates from the body. */
export const MAX_OF_BODY = 4;
/** In pixels; a page that states a shorter side means an icon, counter or spacer. */
export const SMALLEST_STATED_SIDE = 50;
/** In pixels, of the image itself; shorter sides are those of counters, spacers and strips. */
export const SMALLEST_SIDE = 16;
