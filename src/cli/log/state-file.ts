import { readFile, stat } from 'node:fs/promises';

import { z } from 'zod';

import { errorCode } from '../../core/base/errors/error-code.js';
import { parseStrictJson } from '../../core/base/json/strict-json.js';
import type { FollowedLog } from '../../core/notary/log/follower/log-follower.js';
import { openCheckpoint } from '../../core/notary/log/follower/open-checkpoint.js';
import type { VerifierKey } from '../../core/notary/log/notes/verifier-key.js';
import { CommandError, EXIT } from '../exit.js';
import { writeWholeFile } from './whole-file.js';

const MAX_BYTES = 256 * 1024;

const STATE = z.strictObject({
  version: z.literal(1),
  verifier_key: z.string(),
  /** The last checkpoint that was consistent with all before, verbatim. */
  checkpoint: z.string(),
  /** Entries of it that have been read. */
  entries_read: z.int().nonnegative(),
});

/**
 * How far a log has been followed, as a file remembers it; nothing yet without one. Throws `CommandError` for a file
 * that cannot be read, is damaged, or is about another log.
 */
export async function readStateFile(path: string | undefined, key: VerifierKey): Promise<FollowedLog> {
  const text = path === undefined ? null : await readText(path);
  if (text === null) return { checkpoint: null, read: 0 };
  const state = parse(text);
  if (state !== null && state.verifier_key !== key.text) {
    throw new CommandError(`${path} is the state of another log: ${state.verifier_key}.`, EXIT.use);
  }
  const checkpoint = state === null ? null : openCheckpoint(state.checkpoint, key);
  if (state === null || checkpoint === null || state.entries_read > checkpoint.size) {
    const remedy = 'Put it back from a backup. Without it, the log is followed from its beginning';
    throw new CommandError(`${path} is no state of a followed log. ${remedy}.`, EXIT.use);
  }
  return { checkpoint, read: state.entries_read };
}

/** Remembers how far a log has been followed; nothing without a file or a checkpoint. */
export async function writeStateFile(
  path: string | undefined,
  key: VerifierKey,
  { checkpoint, read }: FollowedLog,
): Promise<void> {
  if (path === undefined || checkpoint === null) return;
  const state: z.infer<typeof STATE> = {
    version: 1,
    verifier_key: key.text,
    checkpoint: checkpoint.note,
    entries_read: read,
  };
  await writeWholeFile(path, `${JSON.stringify(state, null, 2)}\n`);
}

async function readText(path: string): Promise<string | null> {
  try {
    if ((await stat(path)).size > MAX_BYTES) return '';
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw new CommandError(`${path} cannot be read (${errorCode(error)}).`, EXIT.use);
  }
}

function parse(text: string): z.infer<typeof STATE> | null {
  try {
    return STATE.parse(parseStrictJson(Buffer.from(text)));
  } catch {
    return null;
  }
}
