import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { completionScript } from '../../src/cli/completion.js';
import { createProgram } from '../../src/cli/program.js';
import { programMissing, runProgram } from '../deploy/unit-file.js';
import { temporaryFolder } from './vidimus.js';

/** A line as typed, words that have to be offered, and one that must not be. */
const CASES = [
  ['vidimus ser', ['serve'], 'healthcheck'],
  ['vidimus config ', ['generate', 'check', 'show', 'proxy', 'schema', 'reload'], 'serve'],
  ['vidimus job ', ['ls', 'run', 'pause', 'resume', 'cancel', 'runs'], 'serve'],
  ['vidimus audit --outcome ', ['ok', 'failed', 'cancelled'], '--json'],
  ['vidimus config proxy ', ['nginx', 'caddy'], 'generate'],
  ['vidimus serve --', ['--config', '--no-retry', '--help'], '--json'],
  ['vidimus admin sign-in-code --role ', ['viewer', 'operator', 'admin'], '--help'],
  ['vidimus serve --config other.yaml --no', ['--no-retry'], '--config'],
  ['vidimus config check --config conf', ['config.yaml'], 'check'],
  ['vidimus key query --config key ', [], 'query'],
] as const;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const scriptOf = async (): Promise<string> => {
  const path = join(folder.path, 'vidimus.bash');
  await writeFile(path, completionScript(createProgram()));
  return path;
};
beforeAll(async () => {
  folder = await temporaryFolder();
  await writeFile(join(folder.path, 'config.yaml'), '');
});
afterAll(() => folder.remove());

const bashMissing = programMissing('bash', 'bash');
describe.runIf(bashMissing === null)(`bash ${bashMissing ?? ''}`, () => {
  it.each(CASES)('completes "%s"', async (line, wanted, unwanted) => {
    const words = line.split(' ');
    const quoted = words.map((word) => `'${word}'`).join(' ');
    // What readline does: the function first, then, for want of words, names of files.
    const script = [
      `source ${await scriptOf()}`,
      `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _vidimus`,
      `[ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- '${words.at(-1)}'))`,
      'printf "%s\\n" "${COMPREPLY[@]}"',
      'complete -p vidimus',
    ].join('\n');
    const offered = runProgram('bash', ['--norc', '-uc', script], folder.path).trim().split('\n');

    expect(offered.at(-1)).toBe('complete -o bashdefault -o default -F _vidimus vidimus');
    expect(offered).toEqual(expect.arrayContaining([...wanted]));
    expect(offered).not.toContain(unwanted);
  });
});
