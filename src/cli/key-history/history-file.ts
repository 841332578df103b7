import { createReadStream } from 'node:fs';

import {
  HistoryCheck,
  HistoryError,
  type CheckedHistory,
} from '../../core/operators/keys/history/history-check.js';
import { linesOf } from '../lines.js';

/** Checks an export, however long it is. Rejects with `HistoryError`, and with `CommandError` for an unreadable file. */
export async function checkHistoryFile(path: string): Promise<CheckedHistory> {
  const check = new HistoryCheck();
  const tooLong = (line: number): Error => new HistoryError(line, 'it is too long for a line of an export');
  for await (const line of linesOf(path, createReadStream(path), tooLong)) check.add(line);
  return check.end();
}
