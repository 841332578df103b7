import type { JobRun, RunCounts } from '../../core/job-runner/job-run.js';
import type { StartedRun } from '../../core/job-runner/job-runner.js';
import type { JobServices } from '../../core/job-runner/job-services.js';
import { formatDuration } from '../../config/kinds/units.js';
import { CommandError } from '../exit.js';
import { print, printJson } from '../terminal/print.js';
import { ProgressLine } from '../terminal/progress.js';

const REDRAW_MS = 200;

/** Shows a run until it is over and tells how it ended; Ctrl-C ends it after a batch. Throws unless it went well. */
export async function followRun(
  { runner, runs }: JobServices,
  started: StartedRun,
  options: { json?: true },
): Promise<void> {
  const cancel = (): void => void runner.cancel(started.run.id);
  process.once('SIGINT', cancel);
  await watchRun(started);
  process.off('SIGINT', cancel);
  const [finished] = await runs.find([started.run.id]);
  reportRun(finished ?? started.run, options);
}

/** Draws how far the run is, on a terminal, until it is over. */
async function watchRun({ run: { job }, state, finished }: StartedRun): Promise<void> {
  const line = new ProgressLine(process.stderr);
  const draw = (): void => {
    const { progress, counts, bytes } = state();
    line.show({ fraction: progress, text: `${job}  ${countsText(counts, bytes)}` });
  };
  const timer = setInterval(draw, REDRAW_MS);
  draw();
  await finished;
  clearInterval(timer);
  line.clear();
}

function reportRun(finished: JobRun, { json }: { json?: true }): void {
  const { job, outcome, counts, bytes, message, durationMs } = finished;
  if (json) printJson({ id: finished.id, job, outcome, counts, bytes, message, duration_ms: durationMs });
  const why = message === null ? '' : `: ${message}`;
  if (outcome !== 'ok') throw new CommandError(json ? null : `${job}: ${outcome}${why}`);
  if (!json) print(`${job}: done in ${formatDuration(durationMs)}. ${countsText(counts, bytes)}`);
}

/** What a run did, in words. */
export function countsText(counts: RunCounts, bytes: number): string {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`);
  if (bytes > 0) parts.push(`${bytes} bytes`);
  return parts.length === 0 ? 'Nothing to do' : parts.join(', ');
}
