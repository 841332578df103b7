import { join } from 'node:path';

import { OPTIMIZATIONS, type Optimization } from '../../src/core/base/runtime/optimizations.js';
import type { ReportLine } from '../support/report.js';
import {
  cachedKey,
  coldPreviews,
  firstFetch,
  hostilePages,
  measureInTurns,
  otherBatches,
  sameBatch,
  type Task,
} from '../support/turns.js';

/** Every trick with what it is measured by. */
const MEASURED_BY: Record<Optimization, Record<string, Task>> = {
  buffer_pool: { 'cold previews': coldPreviews },
  gathered_log: { 'cached key': cachedKey },
  heap_flags: { 'first fetch': firstFetch, 'cold previews': coldPreviews },
  idle_collection: { 'cold previews': coldPreviews },
  request_id_batches: { 'cached key': cachedKey },
  response_cache: { 'the same batch': sameBatch, 'other batches': otherBatches },
  thread_priorities: { 'cold previews': coldPreviews },
  wal_thread: { 'cold previews': coldPreviews },
  young_collection: { 'hostile pages': hostilePages },
};

/** Processor time of each trick, switched on and off by its name in the setting, in turns. */
export async function benchTricks(folder: string): Promise<ReportLine[]> {
  const lines: ReportLine[] = [];
  for (const trick of OPTIMIZATIONS) {
    const optimizations = OPTIMIZATIONS.filter((name) => name !== trick);
    const off = { name: 'off', settings: { runtime: { optimizations } } };
    const measured = await measureInTurns(join(folder, trick), [{ name: 'on' }, off], MEASURED_BY[trick]);
    lines.push(...measured.map((line) => ({ ...line, case: `${trick}: ${line.case}` })));
  }
  return lines;
}
