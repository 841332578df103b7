import { readFile, stat } from 'node:fs/promises';

import { errorCode } from '../files.js';
import type { FollowedLog } from '../follower/log-follower.js';
import { openCheckpoint } from '../notes/open-checkpoint.js';
import type { VerifierKey } from '../notes/verifier-key.js';
import { CommandError, EXIT } from './output.js';
import { saveFile } from './save-file.js';

const MAX_BYTES = 256 * 1024;

interface FollowState {
  version: 1;
  verifier_key: string;
  /** The last checkpoint that was consistent with all before, verbatim. */
  checkpoint: string;
  /** Entries of it that have been read. */
  entries_read: number;
}

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
    throw new CommandError(`${path} is not the state of a followed log. ${remedy}.`, EXIT.use);
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
  const state: FollowState = {
    version: 1,
    verifier_key: key.text,
    checkpoint: checkpoint.note,
    entries_read: read,
  };
  await saveFile(path, `${JSON.stringify(state, null, 2)}\n`);
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

function parse(text: string): FollowState | null {
  try {
    const value: unknown = JSON.parse(text);
    return isState(value) ? value : null;
  } catch {
    return null;
  }
}

function isState(value: unknown): value is FollowState {
  if (typeof value !== 'object' || value === null) return false;
  const { version, verifier_key: key, checkpoint, entries_read: read }: Partial<FollowState> = value;
  const isRead = Number.isSafeInteger(read) && Number(read) >= 0;
  return version === 1 && typeof key === 'string' && typeof checkpoint === 'string' && isRead;
}
