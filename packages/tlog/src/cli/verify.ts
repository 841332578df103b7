import { dirname, join, resolve } from 'node:path';

import { openCheckpoint } from '../checkpoint.js';
import {
  LogContradiction,
  LogFollower,
  checkEntries,
  type CheckedEntry,
  type FollowedLog,
} from '../follower.js';
import { readTextFile, remoteLog, writeWholeFile } from '../io.js';
import type { VerifierKey } from '../note.js';
import { readLogKey, readUrl, readUse } from './args.js';
import { CommandError, EXIT, entryLines, formatTs, note, print, printable } from './output.js';

export async function verifyCommand(args: string[]): Promise<void> {
  const options = {
    key: { type: 'string' },
    state: { type: 'string' },
    watch: { type: 'string', multiple: true },
    'no-records': { type: 'boolean' },
  } as const;
  const { values, positionals } = readUse(args, options, ['URL']);
  const [url, key] = [readUrl(positionals[0] ?? ''), readLogKey(values.key)];
  const follower = new LogFollower(key, remoteLog(url), await readState(values.state, key));
  const watched = new Set((values.watch ?? []).flatMap((names) => names.split(',')));
  const verification = new Verification({ url, key, statePath: values.state, watched, follower });
  await verification.run((name) => values['no-records'] !== true || watched.has(name));
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

interface VerificationOptions {
  url: URL;
  key: VerifierKey;
  statePath: string | undefined;
  watched: ReadonlySet<string>;
  follower: LogFollower;
}

class Verification {
  /** Records that do not match their entry, or are not signed by their server. */
  #refused = 0;

  constructor(private readonly options: VerificationOptions) {}

  /** Reads what is new, and the records of wanted names. Throws `CommandError` and `UnavailableError`. */
  async run(isWanted: (serverName: string) => boolean): Promise<void> {
    try {
      await this.#readNew(isWanted);
    } catch (error) {
      if (!(error instanceof LogContradiction)) throw error;
      await this.#keepEvidence(error);
      const message = `THE LOG HAS LIED: ${printable(error.message)}`;
      throw new CommandError(`${message}. Show the evidence to its other followers.`);
    }
    if (this.#refused > 0)
      throw new CommandError(`The log vouches for ${this.#refused} records that were refused.`);
  }

  async #readNew(isWanted: (serverName: string) => boolean): Promise<void> {
    const { key, follower } = this.options;
    const { checkpoint: before } = follower.followed;
    const { size, root } = await follower.look();
    // Whatever happens from now on: this checkpoint has been seen.
    await this.#save();
    const counts = { foreign: 0, verified: 0, deleted: 0, left_out: 0, refused: 0 };
    for await (const read of follower.entries()) {
      for (const each of await checkEntries(read, follower.readPath, isWanted)) {
        counts[each.verdict.state] += 1;
        await this.#report(each);
      }
      await this.#save();
    }
    const time = formatTs(Date.now()).replace(/\.\d+/, '');
    const since = before === null ? 'first look' : `consistent with ${before.size} before`;
    const tree = `${key.name}: ${size} entries, root ${root.toString('base64')}`;
    const records = `${counts.verified} records verified, ${counts.deleted} deleted, ${counts.refused} refused`;
    const read = Object.values(counts).reduce((sum, count) => sum + count, 0);
    print(`${time}  ${tree}, ${since}; ${read} read, ${records}, ${counts.foreign} entries of another form`);
  }

  /** Prints an entry about a watched name, one of another form, or one whose record is refused. */
  async #report({ index, bytes, entry, verdict }: CheckedEntry): Promise<void> {
    const { watched } = this.options;
    if (entry === null) {
      // A reader may take it for an entry about a watched name.
      const text = printable(bytes.toString());
      if (watched.size > 0) print(`entry ${index}  of another form, not checked: ${text}`);
      return;
    }
    const isRefused = verdict.state === 'refused';
    if (!isRefused && !watched.has(entry.serverName)) return;
    const [head = '', ...lines] = entryLines(entry);
    const words = isRefused ? `!! ${verdict.why}` : WORDS[verdict.state];
    print(`entry ${index}  ${head}`, ...lines, `  record is ${words}`);
    if (!isRefused) return;
    this.#refused += 1;
    // One is enough for others to see.
    const message = `the record of entry ${index}: ${verdict.why}`;
    if (this.#refused === 1) await this.#keepEvidence(new LogContradiction(message, [], verdict.served));
  }

  async #save(): Promise<void> {
    const { key, statePath: path, follower } = this.options;
    const { checkpoint, read } = follower.followed;
    if (path === undefined || checkpoint === null) return;
    const state = { version: 1, verifier_key: key.text, checkpoint: checkpoint.note, entries_read: read };
    await writeWholeFile(path, `${JSON.stringify(state, null, 2)}\n`);
  }

  /** Writes evidence beside the state or in this folder, or else to standard error. */
  async #keepEvidence({ message, checkpoints, served }: LogContradiction): Promise<void> {
    const { url, key, statePath, follower } = this.options;
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
    const folder = statePath === undefined ? process.cwd() : dirname(resolve(statePath));
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
};
