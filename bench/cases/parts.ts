import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { TaskName } from '../options.js';
import { perfParts } from '../support/perf-parts.js';
import { formatNumber, type ReportLine } from '../support/report.js';
import { runAlone } from '../support/turns.js';
import { TASKS } from './tasks.js';

const SAMPLES_PER_SECOND = '2500';
const MAX_OUTPUT_BYTES = 2 ** 30;

/**
 * What the processor time of one of the tasks is made of, all threads of the server: shares of the samples of `perf`,
 * which has to be there. They add up; being watched takes up to as much time again.
 */
export async function benchParts(folder: string, name: TaskName): Promise<ReportLine[]> {
  const { title, task } = TASKS[name];
  const file = join(folder, 'perf.data');
  const record = async (pid: number): Promise<() => Promise<void>> => {
    const args = ['record', '-F', SAMPLES_PER_SECOND, '-e', 'cpu-clock', '-g', '-p', String(pid), '-o', file];
    const perf = spawn('perf', args, { stdio: 'ignore' });
    await once(perf, 'spawn');
    // It may end at once, as where it is not allowed.
    const ended = once(perf, 'exit');
    return async () => {
      perf.kill('SIGINT');
      await ended;
    };
  };
  const nodeOptions = ['--perf-basic-prof'];
  const { cpuMs } = await runAlone(folder, { name, nodeOptions, task }, record);
  const script = ['script', '-i', file, '-F', 'comm,tid,ip,sym,dso'];
  const text = execFileSync('perf', script, {
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const whole = lineOf(title, { cpuMs }, `${formatNumber(cpuMs)} ms CPU while it was watched`);
  const parts = perfParts(text).map(([part, share]) =>
    lineOf(`  ${part}`, { percent: 100 * share }, `${(100 * share).toFixed(1)} %`),
  );
  return [whole, ...parts];
}

function lineOf(name: string, figures: ReportLine['figures'], text: string): ReportLine {
  return { case: name, figures, text, mark: null, reached: null };
}
