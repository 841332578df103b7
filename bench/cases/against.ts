import type { ReportLine } from '../support/report.js';
import { buildRevision } from '../support/revision.js';
import {
  cachedKey,
  cachedPost,
  coldPreviews,
  firstFetch,
  hostilePages,
  measureInTurns,
  otherBatches,
  sameBatch,
  singleFetches,
} from '../support/turns.js';

const TASKS = {
  'GET, all keys of 1 cached server': cachedKey,
  'POST, 1 cached server': cachedPost,
  'POST, 100 cached servers, the same question again': sameBatch,
  'POST, 100 cached servers, other minimums each time': otherBatches,
  'first fetch of 38 servers in one POST': firstFetch,
  'first fetch of a server, single GETs, 4 at once': singleFetches,
  'cold previews, 16 at once': coldPreviews,
  'hostile pages of 10 MiB': hostilePages,
};

/** Processor time of what users ask for, this build and that of another revision in turns. */
export async function benchAgainst(folder: string, revision: string): Promise<ReportLine[]> {
  const program = buildRevision(folder, revision);
  return measureInTurns(folder, [{ name: 'here' }, { name: revision, program }], TASKS);
}
