import { createHash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';

import { writeWholeFile } from '../files.js';
import type { Contradiction } from '../follower/log-contradiction.js';
import { note } from './output.js';

/** What is kept for others to see. */
export interface Evidence extends Contradiction {
  url: string;
  verifierKey: string;
  message: string;
}

/** More is told by its hash alone. */
const MAX_SERVED_BYTES = 1024 * 1024;

/**
 * Keeps what shows that a log has lied, beside the state or in this folder. Returns the name of the file; `null`: it
 * could not be written, and stands on standard error.
 */
export async function writeEvidence(
  evidence: Evidence,
  statePath: string | undefined,
): Promise<string | null> {
  const foundAt = new Date().toISOString();
  const folder = statePath === undefined ? process.cwd() : dirname(resolve(statePath));
  const path = join(folder, `log-evidence-${foundAt.replaceAll(/[-:]/g, '')}.json`);
  const text = `${JSON.stringify(toJson(evidence, foundAt), null, 2)}\n`;
  try {
    await writeWholeFile(path, text);
    return path;
  } catch {
    note(text);
    return null;
  }
}

function toJson({ url, verifierKey, message, checkpoints, served }: Evidence, foundAt: string): object {
  const notes = new Set(checkpoints.map((checkpoint) => checkpoint.note));
  return {
    version: 1,
    found_at: foundAt,
    url,
    verifier_key: verifierKey,
    message,
    checkpoints: [...notes],
    served:
      served === undefined
        ? null
        : {
            path: served.path,
            sha256: createHash('sha256').update(served.bytes).digest('hex'),
            base64: served.bytes.length > MAX_SERVED_BYTES ? null : served.bytes.toString('base64'),
          },
  };
}
