import type { CheckedEntry } from '../follower/checked-records.js';
import type { OpenedCheckpoint } from '../notes/checkpoint.js';
import { formatTs, print, printable, printJson, entryLines } from './output.js';

/** What one look at a log has read. */
export interface LookCounts {
  entries: number;
  verified: number;
  deleted: number;
  /** Records that are not what their entry says, or not signed by their server. */
  refused: number;
  /** Entries of another form than ours. */
  foreign: number;
}

const MAX_FOREIGN_BYTES = 1024;

/** What a follower prints, in lines of text or of JSON. */
export class LookOutput {
  constructor(
    private readonly logName: string,
    private readonly json: boolean,
  ) {}

  /** An entry about a watched name, one of another form, or one that is refused. */
  entry({ index, bytes, entry, record }: CheckedEntry): void {
    if (entry === null) {
      this.#foreign(index, bytes);
      return;
    }
    const verdict = typeof record === 'string' ? record : record.refused;
    if (this.json) {
      printJson({ type: 'entry', index, record: verdict, entry: entry.content });
      return;
    }
    const [head = '', ...lines] = entryLines(entry);
    const words = { verified: 'signed by its server', deleted: 'deleted since', left_out: 'not fetched' };
    const told = typeof record === 'string' ? words[record] : `!! ${record.refused}`;
    print(`entry ${index}  ${head}`, ...lines, `  record is ${told}`);
  }

  #foreign(index: number, bytes: Buffer): void {
    if (this.json) {
      printJson({ type: 'entry_of_another_form', index, base64: bytes.toString('base64') });
      return;
    }
    const text = bytes.subarray(0, MAX_FOREIGN_BYTES).toString();
    const more = bytes.length > MAX_FOREIGN_BYTES ? ` … of ${bytes.length} bytes` : '';
    print(`entry ${index}  of another form, about whom nobody can say: ${printable(text)}${more}`);
  }

  /** The tree before and now. */
  look(before: OpenedCheckpoint | null, { size, root }: OpenedCheckpoint, counts: LookCounts): void {
    if (this.json) {
      printJson({
        type: 'look',
        size,
        root: root.toString('base64'),
        size_before: before?.size ?? null,
        ...counts,
      });
      return;
    }
    const since = before === null ? 'first look' : `consistent with ${before.size} before`;
    const further = [
      `${counts.verified} records verified`,
      ...(counts.deleted > 0 ? [`${counts.deleted} deleted since`] : []),
      ...(counts.foreign > 0 ? [`${counts.foreign} entries of another form`] : []),
      ...(counts.refused > 0 ? [`${counts.refused} RECORDS REFUSED`] : []),
    ].join(', ');
    const head = `${formatTs(Date.now()).replace(/\.\d+/, '')}  ${this.logName}`;
    print(
      `${head}: ${size} entries, root ${root.toString('base64')}, ${since}; ${counts.entries} read, ${further}`,
    );
  }

  /** What makes it worthless, or keeps it from being seen. */
  failed(type: 'contradiction' | 'unreachable', message: string, evidence: string | null): void {
    if (this.json) printJson({ type, message, evidence });
  }
}
