import type { ReportLine } from '../support/report.js';
import { buildRevision } from '../support/revision.js';
import { measureInTurns } from '../support/turns.js';
import type { TaskName } from '../options.js';
import { TASKS } from './tasks.js';

/** Processor time of what users ask for, this build and that of another revision in turns; all tasks without names. */
export async function benchAgainst(
  folder: string,
  revision: string,
  names: readonly TaskName[],
): Promise<ReportLine[]> {
  const asked = names.length === 0 ? Object.values(TASKS) : names.map((name) => TASKS[name]);
  const program = buildRevision(folder, revision);
  const tasks = Object.fromEntries(asked.map(({ title, task }) => [title, task]));
  return measureInTurns(folder, [{ name: 'here' }, { name: revision, program }], tasks);
}
