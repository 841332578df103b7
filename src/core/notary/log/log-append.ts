import {
  HASH_BYTES,
  TILE_WIDTH,
  growTree,
  hashLeaf,
  hashesAt,
  levelsOf,
  readCheckpoint,
  rootOf,
  writeCheckpoint,
  type LogKey,
  type TreeEdge,
} from '@vidimus/tlog';

import { createRows, type Db, type DbTransaction } from '../../store/db.js';
import type { NewEntry } from './log-queue.js';
import { readTile, type LogState } from './log-store.js';

/** What is stored of the log contradicts what was signed. It must not be signed any further. */
export class LogDamage extends Error {}

/**
 * Appends entries and signs the larger log, inside the transaction that holds it. Throws `LogDamage` when the stored
 * tiles are not those of the last checkpoint.
 */
export async function appendEntries(
  tx: DbTransaction,
  { state, key, nowTs }: { state: LogState; key: LogKey; nowTs: number },
  entries: readonly NewEntry[],
): Promise<void> {
  const edge = await readSignedEdge(tx, state, key);
  const leaves = entries.map(({ entry }) => hashLeaf(entry));
  const grown = growTree(edge, leaves);
  const rows = entries.map(({ recordSha256, entry }, index) => ({
    seq: edge.size + index,
    recordSha256: new Uint8Array(recordSha256),
    entry: new Uint8Array(entry),
  }));
  await createRows((piece) => tx.logEntry.createMany(piece), rows);
  for (const { level, n, hashes: parts } of grown.tiles) {
    const hashes = new Uint8Array(Buffer.concat(parts));
    const where = { level_n: { level, n } };
    await tx.logTile.upsert({ where, create: { level, n, hashes }, update: { hashes } });
  }
  const { size } = grown.edge;
  const note = key.signNote(writeCheckpoint({ origin: key.origin, size, root: rootOf(grown.edge) }));
  await tx.logState.update({ where: { id: 1 }, data: { size, checkpoint: note, signedTs: BigInt(nowTs) } });
}

/** The edge of the stored tree. Throws `LogDamage` when the checkpoint is not ours, or not of these tiles. */
export async function readSignedEdge(
  client: Db | DbTransaction,
  state: LogState,
  key: LogKey,
): Promise<TreeEdge> {
  const text = key.openNote(state.checkpoint);
  const checkpoint = text === null ? null : readCheckpoint(text);
  if (checkpoint === null) throw new LogDamage('the last checkpoint does not bear the signature of our key');
  const { size, origin, root } = checkpoint;
  if (size !== state.size || origin !== key.origin) {
    throw new LogDamage(`the last checkpoint is about ${size} entries of ${origin}`);
  }
  const partial: Buffer[][] = [];
  for (let level = 0; level < levelsOf(size); level += 1)
    partial.push(await readPartial(client, level, size));
  const edge = { size, partial };
  if (!rootOf(edge).equals(root)) {
    throw new LogDamage(`the stored tiles have another root than the checkpoint of ${size} entries`);
  }
  return edge;
}

async function readPartial(client: Db | DbTransaction, level: number, size: number): Promise<Buffer[]> {
  const hashes = hashesAt(size, level);
  const width = hashes % TILE_WIDTH;
  if (width === 0) return [];
  const tile = await readTile(client, level, Math.floor(hashes / TILE_WIDTH));
  // Another instance may have made it larger since the checkpoint was read; what it had then stays in front.
  if (tile === null || tile.length < width * HASH_BYTES) {
    throw new LogDamage(`the last tile of level ${level} has less than ${width} hashes`);
  }
  return Array.from({ length: width }, (_, index) =>
    tile.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  );
}
