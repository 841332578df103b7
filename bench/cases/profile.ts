import { createRequire } from 'node:module';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { cutProfile, type CpuProfile } from '../support/cut-profile.js';
import { runAlone } from '../support/turns.js';
import type { TaskName } from '../options.js';
import { TASKS } from './tasks.js';

/**
 * Runs one of the tasks under V8's sampling profiler and writes flame graphs that open in a browser, one for each
 * thread of the server, into `target`; resolves with their paths. Start and warm-up are cut away.
 */
export async function profileTask(folder: string, name: TaskName, target: string): Promise<string[]> {
  const { task } = TASKS[name];
  const profiles = join(folder, 'profiles');
  mkdirSync(profiles);
  const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${profiles}`, '--cpu-prof-interval=500'];
  const { fromUs, untilUs } = await runAlone(folder, { name, nodeOptions, task });
  rmSync(target, { recursive: true, force: true });
  cpSync(dirname(createRequire(import.meta.url).resolve('speedscope/dist/release/index.html')), target, {
    recursive: true,
  });
  return readdirSync(profiles).map((file, index) => {
    const whole = JSON.parse(readFileSync(join(profiles, file), 'utf8')) as CpuProfile;
    return writePage(target, `${name}-${index + 1}`, cutProfile(whole, fromUs, untilUs));
  });
}

function writePage(target: string, name: string, profile: CpuProfile): string {
  const text = JSON.stringify(profile);
  writeFileSync(join(target, `${name}.cpuprofile`), text);
  const data = Buffer.from(text).toString('base64');
  writeFileSync(join(target, `${name}.js`), `speedscope.loadFileFromBase64('${name}.cpuprofile', '${data}')`);
  const page = join(target, `${name}.html`);
  const viewer = `index.html#localProfilePath=${join(target, `${name}.js`)}`;
  writeFileSync(
    page,
    `<!doctype html><meta charset="utf-8"><script>location.replace(${JSON.stringify(viewer)})</script>`,
  );
  return page;
}
