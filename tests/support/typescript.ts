/** For `--import`: lets a process run TypeScript. */
export const TYPESCRIPT = new URL('../../scripts/typescript.mjs', import.meta.url).href;
