import type { Buffer } from 'node:buffer';

/** An entry's place in a log, with what proves it. */
export interface LogProof {
  index: number;
  /** The entry, with which the proof can be checked by itself. */
  entry: Buffer;
  /** Leaf's sibling first. */
  hashes: readonly Buffer[];
  /** The signed checkpoint it leads to. */
  checkpoint: string;
}

/** The text of a proof (C2SP tlog-proof v1); `extra` is the entry. */
export function writeProof({ index, entry, hashes, checkpoint }: LogProof): string {
  const lines = [
    'c2sp.org/tlog-proof@v1',
    `extra ${entry.toString('base64')}`,
    `index ${index}`,
    ...hashes.map((hash) => hash.toString('base64')),
    '',
  ];
  return `${lines.join('\n')}\n${checkpoint}`;
}
