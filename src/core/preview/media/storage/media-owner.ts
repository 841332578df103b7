import { createHash } from 'node:crypto';
import { join } from 'node:path';

import { ApiError } from '../../../base/errors/api-error.js';
import type { MediaStorage } from './media-storage.js';

/** Beside the folders of media, so that the garbage collection does not look at it. */
const OWNER_FILE = 'database-id';
const IDENTITY = /^[0-9a-f]{32}$/;
const MAX_OWNER_BYTES = 64;

/** Media and where it lies. */
export interface OwnedMedia {
  storage: Pick<MediaStorage, 'root' | 'put' | 'get'>;
  /** As people know it. */
  place: string;
}

/**
 * Why media must not be used by a database, as a sentence with the way out; `null`: nothing, it is its own or nobody's.
 * `identity`: of the database, `null` when it has none yet. Rejects as storage does.
 */
export async function ownerObjection(media: OwnedMedia, identity: string | null): Promise<string | null> {
  const owner = await readOwner(media.storage);
  if (owner === null || owner === identity) return null;
  const { place } = media;
  return (
    `The media in ${place} belongs to another database: its file ${OWNER_FILE} says ${owner}, and this database is ` +
    `${identity ?? 'a new one'}. Each would remove what only the other knows. Give this one a place of its own, or, ` +
    `when the other is no longer used, remove the file ${OWNER_FILE} there and start again.`
  );
}

/** The same, and marks media as the database's when it was nobody's. */
async function claimMedia(media: OwnedMedia, identity: string): Promise<string | null> {
  if ((await readOwner(media.storage)) === null) await writeOwner(media, identity);
  // Of two at once the later one has it, and the earlier one is told by its next look.
  return ownerObjection(media, identity);
}

/** Rejects with 500 `media_of_another` when media belongs to another database; marks it as this one's otherwise. */
export async function requireMedia(media: OwnedMedia, identity: string): Promise<void> {
  const objection = await claimMedia(media, identity);
  if (objection !== null) throw new ApiError(500, objection, { reason: 'media_of_another' });
}

/** Takes the mark along when media is copied. Rejects with 500 `media_of_another` when the target has another. */
export async function copyOwner(from: MediaStorage, to: MediaStorage): Promise<void> {
  const owner = await readOwner(from);
  if (owner !== null) await requireMedia({ storage: to, place: to.root || 'object storage' }, owner);
}

/** The identity of the database whose media this is; `null`: it was never said. */
async function readOwner(storage: OwnedMedia['storage']): Promise<string | null> {
  const file = await storage.get(pathOf(storage), { first: 0, last: MAX_OWNER_BYTES });
  if (file === null) return null;
  let text = '';
  for await (const piece of file.body) text += String(piece);
  const identity = text.trim();
  return IDENTITY.test(identity) ? identity : 'something else';
}

async function writeOwner({ storage }: OwnedMedia, identity: string): Promise<void> {
  const body = Buffer.from(`${identity}\n`);
  const sha256 = createHash('sha256').update(body).digest('hex');
  await storage.put(pathOf(storage), { body, sizeBytes: body.length, sha256 });
}

function pathOf({ root }: OwnedMedia['storage']): string {
  return join(root, OWNER_FILE);
}
