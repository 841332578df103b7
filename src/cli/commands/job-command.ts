import type { Command } from 'commander';
import { ApiError } from '../../core/base/errors/api-error.js';
import type { JobRegistry, JobStatus } from '../../core/job-runner/job-registry.js';
import type { StartedRun } from '../../core/job-runner/job-runner.js';
import { formatDuration } from '../../config/kinds/units.js';
import { audited } from '../audited.js';
import { configOption, type JsonOption } from '../configuration.js';
import { CommandError, EXIT } from '../exit.js';
import { countsText, followRun } from '../job/watch-run.js';
import { withServices } from '../store-session.js';
import { formatTs, printJson, printTable } from '../terminal/print.js';

/** `vidimus job ls|run`; the others ask the running server. */
export function addJobCommands(program: Command): void {
  const job = program
    .command('job')
    .description('background jobs: how they stand, and run one now')
    .addHelpText('after', EXAMPLES);
  job
    .command('ls')
    .description('list the jobs with state and last run')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(list);
  job
    .command('run')
    .description('run a job now, in this process; the server may be running or not')
    .argument('<name>', 'a name from "vidimus job ls"')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(runJob);
}

const EXAMPLES = `
A job never runs twice at once: "run" fails while a server or another command runs the same one. Ctrl-C ends a run
after the batch it is at; what it has done stays done.

Exit codes of run: 0 done, 1 failed, skipped, cancelled or running already, 2 wrong use, 3 database not reachable.

Examples:
  $ vidimus job ls --config config.yaml
  $ vidimus job run preview_cleanup --config config.yaml
  $ vidimus job run media_sweep -c config.yaml --json`;

async function list(option: JsonOption): Promise<void> {
  const statuses = await withServices(option, ({ jobs }) => jobs.registry.list());
  if (option.json) {
    printJson(statuses.map(toJson));
    return;
  }
  const rows = statuses.map(({ definition, state, lastRun, reason }) => [
    definition.name,
    definition.everyMs === null ? 'on demand' : formatDuration(definition.everyMs),
    state,
    lastRun === null ? 'none kept' : formatTs(lastRun.startedTs),
    lastRun === null ? '' : lastRun.outcome,
    reason ?? doneText(lastRun),
  ]);
  printTable(['JOB', 'EVERY', 'STATE', 'LAST RUN', 'OUTCOME', ''], rows);
}

/** Runs one job to its end, as `vidimus job run` does. */
export async function runJob(name: string, option: JsonOption): Promise<void> {
  await withServices(option, async ({ access, jobs }) => {
    const { registry } = jobs;
    const known = registry.definitions.filter(({ start }) => start !== null).map((one) => one.name);
    if (!known.includes(name)) {
      const message = `There is no job ${JSON.stringify(name)} to run; there are ${known.join(', ')}.`;
      throw new CommandError(message, EXIT.use);
    }
    const auditedAction = {
      action: 'runJob',
      targetType: 'Job',
      targetId: name,
      summary: `Run the job ${name} now`,
    };
    await audited(access.auditLog, auditedAction, async (note) => {
      const started = await start(registry, name);
      note.about({ detail: { run: started.run.id } });
      await followRun(jobs, started, option);
    });
  });
}

async function start(registry: JobRegistry, name: string): Promise<StartedRun> {
  try {
    return await registry.runNow(name, 'command line');
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    throw new CommandError(`${error.message}.`);
  }
}

/** What a run has done; one that goes on and has nothing to show yet says nothing. */
function doneText(run: JobStatus['lastRun']): string {
  if (run === null) return '';
  const isYoung = run.outcome === 'running' && Object.keys(run.counts).length === 0;
  return isYoung ? '' : countsText(run.counts, run.bytes);
}

function toJson({ definition, state, reason, instance, lastRun }: JobStatus): object {
  const { name, title, everyMs } = definition;
  const last = lastRun === null ? null : { ...lastRun };
  return { name, title, every_ms: everyMs, state, reason, instance, last_run: last };
}
