import { createHash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { openCheckpoint, type OpenedCheckpoint } from '../checkpoint.js';
import { isObject } from '../canonical-json.js';
import {
  LogContradiction,
  LogFollower,
  checkEntries,
  type CheckedEntry,
  type Contradiction,
  type FollowedLog,
} from '../follower.js';
import { UnavailableError, readTextFile, remoteLog, writeWholeFile, type ReadPath } from '../io.js';
import type { VerifierKey } from '../note.js';
import {
  CommandError,
  EXIT,
  entryLines,
  formatTs,
  note,
  print,
  printable,
  readLogKey,
  readUrl,
  readUse,
  required,
  withPath,
  wrongUse,
} from './output.js';

export const VERIFY_HELP = `Usage: tlog verify URL --key KEY [options]

Follow a log: it has only grown since the last look, every entry is in it, every record is signed by its server.

  URL                 address of the log: the part before /checkpoint
  --key KEY           verifier key of the log, as its operator publishes it
  --state FILE        remember how far the log was followed; created if missing. Keep it: without it a changed past
                      cannot be noticed
  --watch NAMES       print every entry about these server names, separated by commas
  --no-records        fetch only the records of watched names
  --follow            continue until Ctrl-C
  --every SECONDS     time between two looks (10)

When the log has lied, what it signed is saved as log-evidence-TIME.json beside the state.

Exit codes: 0 all is well, 1 the log has lied or vouches for a record that its server has not signed,
2 wrong use or an unusable state, 3 the log cannot be read.`;

export async function verifyCommand(args: string[]): Promise<void> {
  const options = {
    key: { type: 'string' },
    state: { type: 'string' },
    watch: { type: 'string', multiple: true },
    'no-records': { type: 'boolean' },
    follow: { type: 'boolean' },
    every: { type: 'string', default: '10' },
  } as const;
  const { values, positionals } = readUse({ args, options, allowPositionals: true }, ['URL']);
  const url = readUrl(positionals[0] ?? '');
  const key = readLogKey(required(values.key, '--key'));
  const everyMs = 1000 * Number(values.every);
  if (!(everyMs > 0 && everyMs <= MAX_PAUSE_MS)) throw wrongUse('--every wants seconds, at most 86400');
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  const verification = new Verification({
    url,
    key,
    statePath: values.state,
    watched: new Set((values.watch ?? []).flatMap((names) => names.split(','))),
    allRecords: values['no-records'] !== true,
    isFollowing: values.follow === true,
    signal: stop.signal,
    followed: await readState(values.state, key),
  });
  while (!stop.signal.aborted) {
    await verification.look();
    if (values.follow !== true) break;
    await setTimeout(everyMs, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  if (verification.refused > 0) throw new CommandError('');
}

const MAX_PAUSE_MS = 86_400_000;
const MAX_STATE_BYTES = 256 * 1024;

/** Nothing has been followed yet without a file. Throws `CommandError` for an unusable one. */
async function readState(path: string | undefined, key: VerifierKey): Promise<FollowedLog> {
  const text = path === undefined ? null : await withPath(path, () => readTextFile(path, MAX_STATE_BYTES));
  if (text === null) return { checkpoint: null, read: 0 };
  const { version, verifier_key: keyText, checkpoint: signed, entries_read: read } = parseObject(text);
  if (version === 1 && typeof keyText === 'string' && keyText !== key.text)
    throw new CommandError(`${path} is the state of another log: ${printable(keyText)}.`, EXIT.use);
  const checkpoint = version === 1 && typeof signed === 'string' ? openCheckpoint(signed, key) : null;
  if (checkpoint !== null && typeof read === 'number' && read >= 0 && read <= checkpoint.size)
    return { checkpoint, read };
  const remedy = 'Restore it from a backup. Without it, the log is followed from its beginning';
  throw new CommandError(`${path} is not the state of a followed log. ${remedy}.`, EXIT.use);
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

interface VerificationOptions {
  url: URL;
  key: VerifierKey;
  statePath: string | undefined;
  watched: ReadonlySet<string>;
  /** Whether records of names that are not watched are fetched, too. */
  allRecords: boolean;
  isFollowing: boolean;
  signal: AbortSignal;
  followed: FollowedLog;
}

/** At most so much work is repeated after a crash. */
const SAVE_MS = 1000;
const MAX_FOREIGN_BYTES = 1024;
/** Of a larger answer the evidence has only the hash. */
const MAX_SERVED_BYTES = 1024 * 1024;

class Verification {
  readonly #read: ReadPath;
  readonly #follower: LogFollower;
  #savedAtMs = 0;
  #isFirst = true;
  /** The last message about a log that cannot be read. */
  #unavailable = '';
  /** Records that do not match their entry, or are not signed by their server. */
  refused = 0;

  constructor(private readonly options: VerificationOptions) {
    this.#read = remoteLog(options.url, options.signal);
    this.#follower = new LogFollower(options.key, this.#read, options.followed);
  }

  /** Reads what is new. Throws `CommandError` when the log lied, and unless it is read again later, `UnavailableError`. */
  async look(): Promise<void> {
    const { signal, isFollowing } = this.options;
    try {
      await this.#look();
      this.#unavailable = '';
    } catch (error) {
      if (error instanceof LogContradiction) throw await this.#lied(error);
      if (signal.aborted) return;
      if (!(error instanceof UnavailableError)) throw error;
      if (error.reason === 'unsigned') throw new CommandError(`${printable(error.message)}.`);
      if (!isFollowing) throw error;
      if (this.#unavailable !== error.message) note(printable(error.message));
      this.#unavailable = error.message;
    } finally {
      await this.#save();
    }
  }

  async #look(): Promise<void> {
    const { watched, allRecords, signal } = this.options;
    const { checkpoint: before } = this.#follower.followed;
    const checkpoint = await this.#follower.look(signal);
    // Whatever happens from now on: this one has been seen.
    await this.#save();
    const counts = { entries: 0, verified: 0, deleted: 0, foreign: 0, refused: 0 };
    for await (const read of this.#follower.entries()) {
      for (const each of await checkEntries(read, this.#read, (name) => allRecords || watched.has(name))) {
        counts.entries += 1;
        if (each.entry === null) counts.foreign += 1;
        if (each.record === 'verified' || each.record === 'deleted') counts[each.record] += 1;
        if (typeof each.record !== 'string') counts.refused += 1;
        await this.#report(each);
      }
      if (performance.now() - this.#savedAtMs > SAVE_MS) await this.#save();
    }
    if (this.#isFirst || counts.entries > 0) this.#summarize(before, checkpoint, counts);
    this.#isFirst = false;
  }

  /** Prints an entry about a watched name, one of another form, or one whose record is refused. */
  async #report({ index, bytes, entry, record }: CheckedEntry): Promise<void> {
    const { watched } = this.options;
    if (entry === null) {
      // A reader may take it for an entry about a watched name.
      const text = printable(bytes.subarray(0, MAX_FOREIGN_BYTES).toString());
      const more = bytes.length > MAX_FOREIGN_BYTES ? ` … of ${bytes.length} bytes` : '';
      if (watched.size > 0) print(`entry ${index}  of another form, not checked: ${text}${more}`);
      return;
    }
    if (typeof record === 'string' && !watched.has(entry.serverName)) return;
    const words = { verified: 'signed by its server', deleted: 'deleted since', left_out: 'not fetched' };
    const verdict = typeof record === 'string' ? words[record] : `!! ${record.refused}`;
    const [head = '', ...lines] = entryLines(entry);
    print(`entry ${index}  ${head}`, ...lines, `  record is ${verdict}`);
    if (typeof record === 'string') return;
    this.refused += 1;
    // One is enough for others to see.
    const message = `the record of entry ${index}: ${record.refused}`;
    if (this.refused === 1) await this.#keepEvidence(message, { checkpoints: [], ...record });
  }

  #summarize(
    before: OpenedCheckpoint | null,
    { size, root }: OpenedCheckpoint,
    { entries, verified, ...counts }: Readonly<Record<'entries' | 'verified' | keyof typeof FURTHER, number>>,
  ): void {
    const time = formatTs(Date.now()).replace(/\.\d+/, '');
    const since = before === null ? 'first look' : `consistent with ${before.size} before`;
    const further = Object.entries(FURTHER).flatMap(([name, words]) => {
      const count = counts[name as keyof typeof FURTHER];
      return count > 0 ? [`, ${count} ${words}`] : [];
    });
    const tree = `${this.options.key.name}: ${size} entries, root ${root.toString('base64')}`;
    print(`${time}  ${tree}, ${since}; ${entries} read, ${verified} records verified${further.join('')}`);
  }

  async #save(): Promise<void> {
    const { key, statePath: path } = this.options;
    const { checkpoint, read } = this.#follower.followed;
    this.#savedAtMs = performance.now();
    if (path === undefined || checkpoint === null) return;
    const state = { version: 1, verifier_key: key.text, checkpoint: checkpoint.note, entries_read: read };
    await withPath(path, () => writeWholeFile(path, `${JSON.stringify(state, null, 2)}\n`));
  }

  async #lied({ message, contradiction }: LogContradiction): Promise<CommandError> {
    await this.#keepEvidence(message, contradiction);
    return new CommandError(
      `THE LOG HAS LIED: ${printable(message)}. Show the evidence to its other followers.`,
    );
  }

  /** Writes evidence beside the state or in this folder, or else to standard error. */
  async #keepEvidence(message: string, { checkpoints, served }: Contradiction): Promise<void> {
    const { url, key, statePath } = this.options;
    const { checkpoint } = this.#follower.followed;
    const foundAt = new Date().toISOString();
    const notes = [checkpoint, ...checkpoints].flatMap((each) => each?.note ?? []);
    const evidence = {
      version: 1,
      found_at: foundAt,
      url: url.href,
      verifier_key: key.text,
      message,
      checkpoints: [...new Set(notes)],
      served: served === undefined ? null : servedJson(served.path, served.bytes),
    };
    const text = `${JSON.stringify(evidence, null, 2)}\n`;
    const folder = statePath === undefined ? process.cwd() : dirname(resolve(statePath));
    const path = join(folder, `log-evidence-${foundAt.replaceAll(/[-:]/g, '')}.json`);
    const isKept = await writeWholeFile(path, text).then(
      () => true,
      () => false,
    );
    note(isKept ? `Evidence: ${path}` : text);
  }
}

/** What else is counted, with its words in the summary. */
const FURTHER = {
  deleted: 'deleted since',
  foreign: 'entries of another form',
  refused: 'RECORDS REFUSED',
} as const;

function servedJson(path: string, bytes: Buffer): object {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { path, sha256, base64: bytes.length > MAX_SERVED_BYTES ? null : bytes.toString('base64') };
}
