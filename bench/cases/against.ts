import type { ReportLine } from '../support/report.js';
import { buildRevision } from '../support/revision.js';
import { measureInTurns } from '../support/turns.js';
import { TASKS } from './tasks.js';

/** Processor time of what users ask for, this build and that of another revision in turns. */
export async function benchAgainst(folder: string, revision: string): Promise<ReportLine[]> {
  const program = buildRevision(folder, revision);
  const tasks = Object.fromEntries([...TASKS.values()].map(({ title, task }) => [title, task]));
  return measureInTurns(folder, [{ name: 'here' }, { name: revision, program }], tasks);
}
