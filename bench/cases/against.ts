import type { ReportLine } from '../support/report.js';
import { buildRevision } from '../support/revision.js';
import { measureInTurns } from '../support/turns.js';
import { measureStarts } from './start.js';
import type { TaskName } from '../options.js';
import { TASKS } from './tasks.js';

/** This build and that of another revision, in turns: starts, then the tasks; all of them without names. */
export async function benchAgainst(
  folder: string,
  revision: string,
  names: readonly TaskName[],
): Promise<ReportLine[]> {
  const asked = names.length === 0 ? Object.values(TASKS) : names.map((name) => TASKS[name]);
  const program = buildRevision(folder, revision);
  const tasks = Object.fromEntries(asked.map(({ title, task }) => [title, task]));
  const contestants = [{ name: 'here' }, { name: revision, program }] as const;
  const starts = names.length === 0 ? await measureStarts(folder, contestants) : [];
  return [...starts, ...(await measureInTurns(folder, contestants, tasks))];
}
