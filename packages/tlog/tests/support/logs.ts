import { createHash, generateKeyPairSync, sign } from 'node:crypto';

import { encodeCanonicalJson } from '../../src/canonical-json.js';
import {
  LogKey,
  TILE_WIDTH,
  encodeKeyEntry,
  growTree,
  hashLeaf,
  proveConsistency,
  rootOf,
  signCheckpoint,
  tilePath,
  writeBundle,
  writeHashes,
  type SignedTree,
} from '../../src/index.js';

/** What a log serves, by path below its address. */
export type LogFiles = Map<string, Buffer>;

export const LOG_KEY = new LogKey('dishonest.test/log', Buffer.alloc(32, 5));

/** A tree of these leaves and its tiles as they are stored. */
export function storedTree(leaves: readonly Buffer[]) {
  const { edge, tiles } = growTree({ size: 0, partial: [] }, leaves);
  const tree: SignedTree = { size: edge.size, root: rootOf(edge) };
  const stored = new Map(tiles.map(({ level, n, hashes }) => [`${level}/${n}`, Buffer.concat(hashes)]));
  const readTile = async (level: number, n: number, width: number) => {
    const tile = stored.get(`${level}/${n}`);
    if (tile === undefined || tile.length < 32 * width) throw new Error(`no tile ${level}/${n} of ${width}`);
    return tile;
  };
  return { tree, tiles, readTile };
}

/** Everything that a log of these entries serves, as it is right after it has grown to them. */
export function filesOf(entries: readonly Buffer[]): LogFiles {
  const { tree, tiles } = storedTree(entries.map(hashLeaf));
  const files: LogFiles = new Map([['checkpoint', Buffer.from(signCheckpoint(LOG_KEY, tree))]]);
  for (const { level, n, hashes } of tiles)
    files.set(tilePath({ level, n, width: hashes.length }), Buffer.concat(hashes));
  for (let n = 0; n * TILE_WIDTH < entries.length; n += 1) {
    const part = entries.slice(n * TILE_WIDTH, (n + 1) * TILE_WIDTH);
    files.set(tilePath({ level: 'entries', n, width: part.length }), writeBundle(part));
  }
  return files;
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** A record of a new key with its entry, and where the record is served; `isForged`: signed with another key. */
export function makeFollowedRecord(serverName: string, { oldKeyId = 'ed25519:k0', isForged = false } = {}) {
  const [own, other] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
  const key = own.publicKey.export({ format: 'jwk' })['x'];
  const content = {
    server_name: serverName,
    valid_until_ts: 4_102_444_800_000,
    verify_keys: { 'ed25519:k1': { key } },
    old_verify_keys: { [oldKeyId]: { key, expired_ts: 1 } },
  };
  const signer = isForged ? other : own;
  const signature = sign(null, Buffer.from(encodeCanonicalJson(content)), signer.privateKey);
  const signatures = { [serverName]: { 'ed25519:k1': unpadded(signature) } };
  const record = Buffer.from(encodeCanonicalJson({ ...content, signatures }));
  const recordSha256 = createHash('sha256').update(record).digest('hex');
  const about = { event: 'server_first_seen' as const, serverName, recordSha256 };
  const entry = encodeKeyEntry({ ...about, observedTs: 1_700_000_000_000 }, content);
  return { record, entry, path: `record/${recordSha256}` };
}

export type FollowedRecord = ReturnType<typeof makeFollowedRecord>;

/** Entries of no particular form. */
export const madeEntries = (count: number, face = ''): Buffer[] =>
  Array.from({ length: count }, (_, index) => Buffer.from(`{"entry${face}":${index}}`));

/** What a log with one of its faces offers to a witness. */
export class OfferedLog {
  readonly #leaves: readonly Buffer[];

  constructor(
    readonly key = LOG_KEY,
    face = '',
  ) {
    this.#leaves = madeEntries(600, face).map(hashLeaf);
  }

  checkpoint(size: number): string {
    return signCheckpoint(this.key, storedTree(this.#leaves.slice(0, size)).tree);
  }

  prove(from: number, size: number): Promise<Buffer[]> {
    return proveConsistency(from, size, storedTree(this.#leaves.slice(0, size)).readTile);
  }

  async offer(from: number, size: number): Promise<Buffer> {
    return offerBody(from, from > size ? [] : await this.prove(from, size), this.checkpoint(size));
  }
}

export function offerBody(from: number, proof: readonly Buffer[], checkpoint: string): Buffer {
  return Buffer.from(`old ${from}\n${writeHashes(proof)}\n${checkpoint}`);
}
