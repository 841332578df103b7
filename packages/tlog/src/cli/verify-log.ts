import { setTimeout } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { readFile, stat } from 'node:fs/promises';

import { UnavailableError } from '../http.js';
import { checkEntries, type CheckedEntry } from '../follower/checked-records.js';
import { LogContradiction, type Contradiction } from '../follower/read-place.js';
import { LogFollower, type FollowedLog } from '../follower/log-follower.js';
import { RemoteLog } from '../follower/remote-log.js';
import type { VerifierKey } from '../notes/verifier-key.js';
import type { ReadKeyEntry } from '../records/key-entry.js';
import { LookOutput, type LookCounts } from './look-output.js';
import { CommandError, EXIT, note, printable } from './output.js';
import { writeWholeFile, errorCode } from '../files.js';
import { openCheckpoint } from '../notes/checkpoint.js';
import { saveFile } from './prove-command.js';

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

/** What `tlog verify` was asked for. */
export interface VerifyLogOptions {
  url: URL;
  key: VerifierKey;
  statePath: string | undefined;
  watched: ReadonlySet<string>;
  /** Whether records of names that are not watched are fetched, too. */
  allRecords: boolean;
  /** Between two looks; `null`: one look. */
  followMs: number | null;
  json: boolean;
}

/** So much work may have to be done again after a crash. */
const SAVE_MS = 1000;

/** Follows a log. Throws `CommandError`: 1 when it lied, 3 when it cannot be seen. Ends quietly on a stop signal. */
export async function verifyLog(options: VerifyLogOptions): Promise<void> {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  const followed = await readStateFile(options.statePath, options.key);
  const remote = new RemoteLog({ url: options.url, signal: stop.signal });
  const verification = new Verification(options, { remote, followed, signal: stop.signal });
  try {
    await verification.run();
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}

interface VerificationParts {
  remote: RemoteLog;
  followed: LogFollower['followed'];
  signal: AbortSignal;
}

class Verification {
  readonly #follower: LogFollower;
  readonly #output: LookOutput;
  #savedAtMs = performance.now();
  #refused = 0;
  /** What was last said of a log that cannot be seen. */
  #unseen: string | null = null;

  constructor(
    private readonly options: VerifyLogOptions,
    private readonly parts: VerificationParts,
  ) {
    const { followed, signal } = parts;
    this.#follower = new LogFollower({ key: options.key, readPath: this.#read, followed, signal });
    this.#output = new LookOutput(options.key.name, options.json);
  }

  readonly #read = (path: string, maxBytes: number): Promise<Buffer | null> =>
    this.parts.remote.read(path, maxBytes);

  async run(): Promise<void> {
    const { signal } = this.parts;
    const { followMs } = this.options;
    for (let look = 0; !signal.aborted; look += 1) {
      await this.#lookOnce(look === 0);
      if (followMs === null) break;
      await setTimeout(followMs, undefined, { signal }).catch(() => undefined);
    }
    if (this.#refused > 0) throw new CommandError(null);
  }

  async #lookOnce(isFirst: boolean): Promise<void> {
    try {
      await this.#look(isFirst);
      this.#unseen = null;
    } catch (error) {
      if (error instanceof LogContradiction) throw await this.#lied(error);
      if (this.parts.signal.aborted) return;
      if (!(error instanceof UnavailableError)) throw error;
      this.#unreachable(error);
    } finally {
      await writeStateFile(this.options.statePath, this.options.key, this.#follower.followed);
    }
  }

  async #look(isFirst: boolean): Promise<void> {
    const { checkpoint: before } = this.#follower.followed;
    const checkpoint = await this.#follower.look();
    // Whatever happens from now on: this one has been seen.
    await this.#save();
    const counts: LookCounts = { entries: 0, verified: 0, deleted: 0, refused: 0, foreign: 0 };
    for await (const read of this.#follower.entries()) {
      const { watched, allRecords } = this.options;
      const checked = await checkEntries(read, this.#read, (name) => allRecords || watched.has(name));
      for (const each of checked) await this.#count(each, counts);
      if (performance.now() - this.#savedAtMs > SAVE_MS) await this.#save();
    }
    if (isFirst || counts.entries > 0) this.#output.look(before, checkpoint, counts);
  }

  async #save(): Promise<void> {
    await writeStateFile(this.options.statePath, this.options.key, this.#follower.followed);
    this.#savedAtMs = performance.now();
  }

  async #count(checked: CheckedEntry, counts: LookCounts): Promise<void> {
    const { entry, record } = checked;
    counts.entries += 1;
    if (entry === null) counts.foreign += 1;
    if (record === 'verified') counts.verified += 1;
    if (record === 'deleted') counts.deleted += 1;
    const isRefused = typeof record !== 'string';
    if (isRefused || this.#isWatched(entry)) this.#output.entry(checked);
    if (!isRefused) return;
    counts.refused += 1;
    this.#refused += 1;
    const message = `the record of entry ${checked.index}: ${record.refused}`;
    // One is enough for others to see.
    if (this.#refused === 1) await this.#keep(message, { checkpoints: [], ...record });
  }

  /** Whom an entry of another form is about nobody can say; whoever reads it may take it for one about a watched name. */
  #isWatched(entry: ReadKeyEntry | null): boolean {
    const { watched } = this.options;
    return entry === null ? watched.size > 0 : watched.has(entry.serverName);
  }

  async #lied({ message, contradiction }: LogContradiction): Promise<CommandError> {
    const path = await this.#keep(message, contradiction);
    this.#output.failed('contradiction', message, path);
    const told = `THE LOG HAS LIED: ${message}`;
    const kept =
      path === null ? '' : ` What it signed is kept in ${path}: show it to others who follow this log.`;
    return new CommandError(`${printable(told)}.${kept}`);
  }

  /** Keeps evidence, with the checkpoint that was last believed in front. */
  async #keep(message: string, contradiction: Contradiction): Promise<string | null> {
    const { url, key, statePath } = this.options;
    const { checkpoint } = this.#follower.followed;
    const checkpoints = [...(checkpoint === null ? [] : [checkpoint]), ...contradiction.checkpoints];
    const evidence = { ...contradiction, checkpoints, url: url.href, verifierKey: key.text, message };
    const path = await writeEvidence(evidence, statePath);
    if (path !== null) note(`Evidence: ${path}`);
    return path;
  }

  /** Throws unless it is looked at again later. */
  #unreachable(error: UnavailableError): void {
    const { message } = error;
    const isForged = error.reason === 'unsigned';
    if (this.#unseen !== message) this.#output.failed('unreachable', message, null);
    const exitCode = isForged ? EXIT.failed : EXIT.unavailable;
    if (this.options.followMs === null || isForged)
      throw new CommandError(`${printable(message)}.`, exitCode);
    if (this.#unseen !== message) note(printable(message));
    this.#unseen = message;
  }
}
