import { createHash } from 'node:crypto';

import { isRecord } from '../../base/json/is-record.js';
import { CopyRefusal } from './fill.js';
import type { RowSource, SourceTable } from './row-store.js';
import type { Row } from './table.js';

/** What the first line of a backup states. */
const BACKUP_FORMAT = 'vidimus-backup/1';

/** The first line, beside its format. */
export interface BackupHead {
  /** Version of the program that made it. */
  version: string;
  serverName: string;
  createdTs: number;
  rowCount: number;
  migrations: readonly string[];
}

const PIECE_CHARACTERS = 64 * 1024;

/**
 * A backup as JSON Lines: a head, then each table as one line with its columns and one line a row, and an end with the
 * SHA-256 of all lines before it.
 */
export async function* writeBackup(
  head: Omit<BackupHead, 'rowCount' | 'migrations'>,
  source: RowSource,
  onRows: (count: number) => void,
): AsyncGenerator<string> {
  const { rowCount, migrations } = source;
  const hash = createHash('sha256');
  const written = (lines: readonly unknown[]): string => {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    hash.update(text);
    return text;
  };
  yield written([{ format: BACKUP_FORMAT, ...head, rowCount, migrations }]);
  for await (const { name, columnNames, lastKey, pages } of source.tables()) {
    yield written([{ table: name, columns: columnNames, lastKey }]);
    for await (const rows of pages()) {
      yield written(rows);
      onRows(rows.length);
    }
  }
  yield `${JSON.stringify({ end: BACKUP_FORMAT, sha256: hash.digest('hex') })}\n`;
}

/** A backup that is being read, line by line. Rejects with `CopyRefusal`, which names the line. */
export class BackupFile implements RowSource {
  readonly #hash = createHash('sha256');
  #line = 0;
  #next: unknown = null;
  #nextBytes: Uint8Array | null = null;
  #head: BackupHead = { version: '', serverName: '', createdTs: 0, rowCount: 0, migrations: [] };

  private constructor(private readonly lines: AsyncIterator<Uint8Array>) {}

  /** Reads the head. `lines` are without their line feeds. */
  static async open(lines: AsyncIterable<Uint8Array>): Promise<BackupFile> {
    const file = new BackupFile(lines[Symbol.asyncIterator]());
    await file.#advance();
    file.#head = file.#readHead(file.#next);
    return file;
  }

  get head(): BackupHead {
    return this.#head;
  }

  get rowCount(): number {
    return this.#head.rowCount;
  }

  get migrations(): readonly string[] {
    return this.#head.migrations;
  }

  /** Each has to be read to its end before the next one is asked for. */
  async *tables(): AsyncGenerator<SourceTable> {
    await this.#advance();
    for (;;) {
      const line = this.#next;
      if (!isRecord(line)) throw this.#refusal('a table or the end is wanted');
      if (line['end'] === BACKUP_FORMAT) {
        await this.#readEnd(line['sha256']);
        return;
      }
      const { table: name, columns, lastKey } = line;
      if (typeof name !== 'string' || !isTexts(columns) || typeof lastKey !== 'number')
        throw this.#refusal('it names no table');
      await this.#advance();
      yield { name, columnNames: columns, lastKey, pages: () => this.#pages() };
    }
  }

  async *#pages(): AsyncGenerator<readonly Row[]> {
    let [rows, characters]: [Row[], number] = [[], 0];
    while (Array.isArray(this.#next)) {
      // What the values are is looked at by whoever knows the table.
      rows.push(this.#next);
      characters += this.#nextBytes?.length ?? 0;
      if (characters > PIECE_CHARACTERS) {
        yield rows;
        [rows, characters] = [[], 0];
      }
      await this.#advance();
    }
    if (rows.length > 0) yield rows;
  }

  /** Takes the line that was looked at last, and looks at the next one. */
  async #advance(): Promise<void> {
    if (this.#nextBytes !== null) this.#hash.update(this.#nextBytes).update('\n');
    this.#line += 1;
    const { value, done } = await this.lines.next();
    if (done === true) throw this.#refusal('the file is cut off');
    this.#nextBytes = value;
    try {
      this.#next = JSON.parse(Buffer.from(value).toString());
    } catch {
      throw this.#refusal('it is no JSON');
    }
  }

  #readHead(line: unknown): BackupHead {
    if (!isRecord(line) || line['format'] !== BACKUP_FORMAT)
      throw this.#refusal(`this is no backup of the form ${BACKUP_FORMAT}`);
    const { version, serverName, createdTs, rowCount, migrations } = line;
    if (
      typeof version !== 'string' ||
      typeof serverName !== 'string' ||
      typeof createdTs !== 'number' ||
      typeof rowCount !== 'number' ||
      !isTexts(migrations)
    )
      throw this.#refusal('the head is not whole');
    return { version, serverName, createdTs, rowCount, migrations };
  }

  async #readEnd(sha256: unknown): Promise<void> {
    if (sha256 !== this.#hash.digest('hex'))
      throw this.#refusal('the lines before it are others than those that were written');
    const { done } = await this.lines.next();
    if (done !== true) throw this.#refusal('something follows it');
  }

  #refusal(message: string): CopyRefusal {
    return new CopyRefusal(`The backup cannot be used. Line ${this.#line}: ${message}.`);
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
