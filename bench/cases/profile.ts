import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { cutProfile, type CpuProfile } from '../support/cut-profile.js';
import { runAlone } from '../support/turns.js';
import type { TaskName } from '../options.js';
import { TASKS } from './tasks.js';

/**
 * Runs one of the tasks under V8's sampling profiler and writes a profile for each thread of the server, which
 * the developer tools of a browser open, into `target`; resolves with their paths. Start and warm-up are cut away.
 */
export async function profileTask(folder: string, name: TaskName, target: string): Promise<string[]> {
  const { task } = TASKS[name];
  const profiles = join(folder, 'profiles');
  mkdirSync(profiles);
  const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${profiles}`, '--cpu-prof-interval=500'];
  const { fromUs, untilUs } = await runAlone(folder, { name, nodeOptions, task });
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  return readdirSync(profiles).map((file, index) => {
    const whole = JSON.parse(readFileSync(join(profiles, file), 'utf8')) as CpuProfile;
    const path = join(target, `${name}-${index + 1}.cpuprofile`);
    writeFileSync(path, JSON.stringify(cutProfile(whole, fromUs, untilUs)));
    return path;
  });
}
