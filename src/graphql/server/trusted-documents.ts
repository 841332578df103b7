import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

import { errorCode } from '../../core/base/errors/api-error.js';

const MANIFEST = z.record(z.string(), z.string());

/**
 * Reads the list of the pages' own operations that their build has written: id → text, the id being the SHA-256
 * (hex) of the text. Empty when the pages have not been built. Throws for a list that does not match itself.
 */
export function readTrustedDocuments(path: string): ReadonlyMap<string, string> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return new Map();
    throw error;
  }
  const documents = new Map(Object.entries(MANIFEST.parse(JSON.parse(text))));
  for (const [id, document] of documents) {
    const sha256 = createHash('sha256').update(document).digest('hex');
    if (sha256 !== id) throw new Error(`${path}: the text under ${id} is another one`);
  }
  return documents;
}
