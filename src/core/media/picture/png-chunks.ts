import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

const SIGNATURE_BYTES = 8;
/** Length, type and checksum around a chunk's data. */
const CHUNK_FRAME_BYTES = 12;
/** Enough for any sensible comment or colour profile; a decoder inflates more than a thousand times as much. */
const MAX_COMPRESSED_BYTES = 16 * 1024;
const MAX_CHUNKS = 100_000;
/** Chunks that a decoder reads, and mostly inflates, although the picture does not need them. */
const DISPENSABLE: ReadonlySet<string> = new Set(['zTXt', 'iTXt', 'tEXt', 'iCCP']);

interface Piece {
  start: number;
  end: number;
}

/**
 * The PNG without its texts and colour profile when those are suspiciously large: a few kB of them inflate to
 * gigabytes before a decoder has seen one pixel. `null` when the file is fine as it is.
 */
export async function withoutPngTexts(path: string, sizeBytes: number): Promise<Buffer | null> {
  const handle = await open(path, 'r');
  try {
    const needed = await neededPieces(handle, sizeBytes);
    return needed === null ? null : await readPieces(handle, needed);
  } finally {
    await handle.close();
  }
}

/** What remains without dispensable chunks; `null` when those are small. */
async function neededPieces(handle: FileHandle, sizeBytes: number): Promise<Piece[] | null> {
  const pieces: Piece[] = [{ start: 0, end: SIGNATURE_BYTES }];
  const head = Buffer.alloc(8);
  let dispensableBytes = 0;
  let offset = SIGNATURE_BYTES;
  for (let count = 0; count < MAX_CHUNKS && offset + CHUNK_FRAME_BYTES <= sizeBytes; count += 1) {
    await handle.read(head, 0, head.length, offset);
    const type = head.toString('latin1', 4, 8);
    const end = Math.min(sizeBytes, offset + CHUNK_FRAME_BYTES + head.readUInt32BE(0));
    if (DISPENSABLE.has(type)) dispensableBytes += end - offset;
    else addPiece(pieces, { start: offset, end });
    if (type === 'IEND') break;
    offset = end;
  }
  return dispensableBytes > MAX_COMPRESSED_BYTES ? pieces : null;
}

function addPiece(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (last?.end === piece.start) last.end = piece.end;
  else pieces.push(piece);
}

async function readPieces(handle: FileHandle, pieces: readonly Piece[]): Promise<Buffer> {
  const bytes = Buffer.alloc(pieces.reduce((sum, { start, end }) => sum + end - start, 0));
  let offset = 0;
  for (const { start, end } of pieces) {
    await handle.read(bytes, offset, end - start, start);
    offset += end - start;
  }
  return bytes;
}
