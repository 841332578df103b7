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
export type Named = keyof typeof FILES | 'unset';
export const NAMED: Named[] = ['unset', 'home', 'homes', 'ours', 'also', 'both'];

/**
 * What the start says to key files named in `signing_key_path` (rows) and `key_server_signing_keys_path` (columns, as
 * in NAMED):
 * - `missing`: one has to be named.
 * - `unlisted`: one signs answers that our own record does not list.
 * - `invented`: the homeserver of the name does not publish it.
 * - `fetched`: the record of the name is somebody else's, and fetched.
 * - `ours`: we publish it.
 */
export const OF_SHARED_NAME: Record<Named, string> = {
  unset: 'missing  fetched  fetched  fetched  fetched  fetched',
  home: ' ours     ours     unlisted unlisted unlisted unlisted',
  homes: 'invented invented invented unlisted unlisted unlisted',
  ours: ' invented unlisted unlisted invented unlisted unlisted',
  also: ' invented unlisted unlisted unlisted invented unlisted',
  both: ' invented unlisted unlisted invented invented invented',
};
export const OF_NAME_ALONE: Record<Named, string> = {
  unset: 'missing  fetched  fetched  fetched  fetched  fetched',
  home: ' ours     ours     unlisted unlisted unlisted unlisted',
  homes: 'ours     ours     ours     unlisted unlisted unlisted',
  ours: ' ours     unlisted unlisted ours     unlisted unlisted',
  also: ' ours     unlisted unlisted unlisted ours     unlisted',
  both: ' ours     unlisted unlisted ours     ours     ours',
};
/** One for each pair. */
export const table = (verdicts: Record<Named, string>) =>
  NAMED.flatMap((own) =>
    verdicts[own]
      .trim()
      .split(/ +/)
      .map((verdict, at) => ({ own, notary: NAMED[at] ?? 'unset', verdict })),
  );

/** Those with which the server starts, and the keys that then sign answers. */
export const pairsThatStart = (verdicts: Record<Named, string>) =>
  table(verdicts)
    .filter(({ verdict }) => verdict === 'ours' || verdict === 'fetched')
    .map(({ own, notary, verdict }) => {
      const signing = notary === 'unset' ? own : notary;
      return { own, notary, verdict, known: signing === 'unset' ? [] : FILES[signing] };
    });
