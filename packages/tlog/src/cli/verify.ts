import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { openCheckpoint } from '../checkpoint.js';
import {
  LogContradiction,
  LogFollower,
  checkEntries,
  type CheckedEntry,
  type FollowedLog,
} from '../follower.js';
import { UnavailableError, readTextFile, remoteLog, writeWholeFile, type ReadPath } from '../io.js';
import type { VerifierKey } from '../note.js';
import { readLogKey, readUrl, readUse, wrongUse } from './args.js';
import { CommandError, EXIT, entryLines, formatTs, note, print, printable, stopSignal } from './output.js';

const OPTIONS = {
  key: { type: 'string' },
  state: { type: 'string' },
  watch: { type: 'string', multiple: true },
  'no-records': { type: 'boolean' },
  follow: { type: 'boolean' },
  every: { type: 'string', default: '10' },
} as const;
const MAX_PAUSE_S = 86_400;

export async function verifyCommand(args: string[]): Promise<void> {
  const { values, positionals } = readUse(args, OPTIONS, ['URL']);
  const everyS = Number(values.every);
  if (!(everyS > 0 && everyS <= MAX_PAUSE_S)) throw wrongUse(`--every wants seconds, at most ${MAX_PAUSE_S}`);
  const [url, key, signal] = [readUrl(positionals[0] ?? ''), readLogKey(values.key), stopSignal()];
  const read = remoteLog(url, signal);
  const follower = new LogFollower(key, read, await readState(values.state, key));
  const verification = new Verification({ ...values, url, key, signal, read, follower });
  while (!signal.aborted) {
    await verification.look();
    if (values.follow !== true) break;
    await setTimeout(everyS * 1000, undefined, { signal }).catch(() => undefined);
  }
  const { refused } = verification;
  if (refused > 0) throw new CommandError(`The log vouches for ${refused} records that were refused.`);
}

/** Nothing has been followed yet without a file. Throws `CommandError` for an unusable one. */
async function readState(path: string | undefined, key: VerifierKey): Promise<FollowedLog> {
  const text = path === undefined ? null : await readTextFile(path);
  if (text === null) return { checkpoint: null, read: 0 };
  try {
    const state = JSON.parse(text) as { version: number; checkpoint: string; entries_read: number };
    const checkpoint = state.version === 1 ? openCheckpoint(state.checkpoint, key) : null;
    const { entries_read: read } = state;
    if (checkpoint !== null && Number.isSafeInteger(read) && read >= 0 && read <= checkpoint.size)
      return { checkpoint, read };
  } catch {
    // Said below.
  }
  const remedy = 'Restore it from a backup. Without it, the log is followed from its beginning';
  throw new CommandError(`${path} is not the state of a followed log with this key. ${remedy}.`, EXIT.use);
}

type Values = ReturnType<typeof readUse<typeof OPTIONS>>['values'];

interface Followed extends Omit<Values, 'key'> {
  url: URL;
  key: VerifierKey;
  signal: AbortSignal;
  read: ReadPath;
  follower: LogFollower;
}

class Verification {
  readonly #watched: ReadonlySet<string>;
  #isFirst = true;
  /** The last message about a log that cannot be read. */
  #unavailable = '';
  /** Records that do not match their entry, or are not signed by their server. */
  refused = 0;

  constructor(private readonly options: Followed) {
    this.#watched = new Set((options.watch ?? []).flatMap((names) => names.split(',')));
  }

  /** Reads what is new. Throws `CommandError`, and unless the log is read again later, `UnavailableError`. */
  async look(): Promise<void> {
    try {
      await this.#readNew();
      this.#unavailable = '';
    } catch (error) {
      if (error instanceof LogContradiction) {
        await this.#keepEvidence(error);
        const message = `THE LOG HAS LIED: ${printable(error.message)}`;
        throw new CommandError(`${message}. Show the evidence to its other followers.`);
      }
      if (this.options.signal.aborted) return;
      if (!(error instanceof UnavailableError)) throw error;
      if (error.reason === 'unsigned') throw new CommandError(`${printable(error.message)}.`);
      if (this.options.follow !== true) throw error;
      if (this.#unavailable !== error.message) note(printable(error.message));
      this.#unavailable = error.message;
    } finally {
      await this.#save();
    }
  }

  async #readNew(): Promise<void> {
    const { key, signal, read: readPath, follower } = this.options;
    const isWanted = (name: string): boolean =>
      this.options['no-records'] !== true || this.#watched.has(name);
    const { checkpoint: before } = follower.followed;
    const { size, root } = await follower.look(signal);
    // Whatever happens from now on: this checkpoint has been seen.
    await this.#save();
    const counts = { foreign: 0, verified: 0, deleted: 0, left_out: 0, refused: 0 };
    for await (const read of follower.entries()) {
      // Entries count as read when the next ones are requested.
      await this.#save();
      for (const each of await checkEntries(read, readPath, isWanted)) {
        counts[each.verdict.state] += 1;
        await this.#report(each);
      }
    }
    const read = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (!this.#isFirst && read === 0) return;
    this.#isFirst = false;
    const time = formatTs(Date.now()).replace(/\.\d+/, '');
    const since = before === null ? 'first look' : `consistent with ${before.size} before`;
    const records = `${counts.verified} records verified, ${counts.deleted} deleted, ${counts.refused} REFUSED`;
    const tree = `${key.name}: ${size} entries, root ${root.toString('base64')}`;
    print(`${time}  ${tree}, ${since}; ${read} read, ${records}, ${counts.foreign} entries of another form`);
  }

  /** Prints an entry about a watched name, one of another form, or one whose record is refused. */
  async #report({ index, bytes, entry, verdict }: CheckedEntry): Promise<void> {
    if (entry === null) {
      // A reader may take it for an entry about a watched name.
      const text = printable(bytes.toString());
      if (this.#watched.size > 0) print(`entry ${index}  of another form, not checked: ${text}`);
      return;
    }
    const isRefused = verdict.state === 'refused';
    if (!isRefused && !this.#watched.has(entry.serverName)) return;
    const [head = '', ...lines] = entryLines(entry);
    const words = isRefused ? `!! ${verdict.why}` : WORDS[verdict.state];
    print(`entry ${index}  ${head}`, ...lines, `  record is ${words}`);
    if (!isRefused) return;
    this.refused += 1;
    // One is enough for others to see.
    const message = `the record of entry ${index}: ${verdict.why}`;
    if (this.refused === 1) await this.#keepEvidence(new LogContradiction(message, [], verdict.served));
  }

  async #save(): Promise<void> {
    const { key, state: path, follower } = this.options;
    const { checkpoint, read } = follower.followed;
    if (path === undefined || checkpoint === null) return;
    const saved = { version: 1, verifier_key: key.text, checkpoint: checkpoint.note, entries_read: read };
    await writeWholeFile(path, `${JSON.stringify(saved, null, 2)}\n`);
  }

  /** Writes evidence beside the state or in this folder, or else to standard error. */
  async #keepEvidence({ message, checkpoints, served }: LogContradiction): Promise<void> {
    const { url, key, state, follower } = this.options;
    const foundAt = new Date().toISOString();
    const notes = [follower.followed.checkpoint, ...checkpoints].flatMap((each) => each?.note ?? []);
    const evidence = {
      version: 1,
      found_at: foundAt,
      url: url.href,
      verifier_key: key.text,
      message,
      checkpoints: [...new Set(notes)],
      served: served === null ? null : { path: served.path, base64: served.bytes.toString('base64') },
    };
    const text = `${JSON.stringify(evidence, null, 2)}\n`;
    const folder = state === undefined ? process.cwd() : dirname(resolve(state));
    const path = join(folder, `log-evidence-${foundAt.replaceAll(/[-:]/g, '')}.json`);
    const outcome = await writeWholeFile(path, text).then(
      () => `Evidence: ${path}`,
      () => text,
    );
    note(outcome);
  }
}

const WORDS = {
  verified: 'signed by its server',
  deleted: 'deleted since',
  left_out: 'not fetched',
  foreign: '',
} as const;
