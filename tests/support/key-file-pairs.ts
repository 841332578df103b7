import { makeTestKey } from './origins/key-record-maker.js';

const signer = (version: string, fill: number) => {
  const seed = Buffer.alloc(32, fill);
  const line = `ed25519 ${version} ${seed.toString('base64').replace('=', '')}\n`;
  return { ...makeTestKey(version, seed), line };
};
/** The homeserver publishes `home` alone; `home2` may be one that it had, or will have. */
export const [HOME, HOME_TOO, OURS, ALSO_OURS] = [
  signer('home', 1),
  signer('home2', 2),
  signer('ours', 3),
  signer('also', 4),
];
/** Key files and what they hold. */
export const FILES = {
  home: [HOME],
  homes: [HOME, HOME_TOO],
  ours: [OURS],
  also: [ALSO_OURS],
  both: [OURS, ALSO_OURS],
};
