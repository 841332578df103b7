import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { completionScript, type Shell } from '../../src/cli/completion.js';
import { createProgram } from '../../src/cli/program.js';
import { programMissing, runProgram } from '../deploy/unit-file.js';
import { temporaryFolder } from './vidimus.js';

/** A line as typed, words that have to be offered, and one that must not be. */
const CASES = [
  ['vidimus ser', ['serve'], 'healthcheck'],
  ['vidimus config ', ['generate', 'check', 'show', 'proxy', 'schema', 'reload'], 'serve'],
  ['vidimus job ', ['ls', 'run', 'pause', 'resume', 'cancel', 'runs'], 'serve'],
  ['vidimus audit --outcome ', ['ok', 'failed', 'cancelled'], '--json'],
  ['vidimus config proxy ', ['nginx', 'caddy', 'haproxy', 'apache'], 'generate'],
  ['vidimus serve --', ['--config', '--no-retry', '--help'], '--json'],
  ['vidimus admin sign-in-code --role ', ['viewer', 'operator', 'admin'], '--help'],
  ['vidimus serve --config other.yaml --no', ['--no-retry'], '--config'],
  ['vidimus config check --config conf', ['config.yaml'], 'check'],
  ['vidimus key query --config key ', [], 'query'],
] as const;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const scriptOf = async (shell: Shell): Promise<string> => {
  const path = join(folder.path, `vidimus.${shell}`);
  await writeFile(path, completionScript(createProgram(), shell));
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
      `source ${await scriptOf('bash')}`,
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

const fishMissing = programMissing('fish', 'fish');
describe.runIf(fishMissing === null)(`fish ${fishMissing ?? ''}`, () => {
  it.each(CASES)('completes "%s"', async (line, wanted, unwanted) => {
    const script = `source ${await scriptOf('fish')}; complete -C '${line}'`;
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], {
      encoding: 'utf8',
      cwd: folder.path,
    });
    const offered = stdout.split('\n').map((each) => each.split('\t')[0]);

    expect(stderr).toBe('');
    expect(offered).toEqual(expect.arrayContaining([...wanted]));
    expect(offered).not.toContain(unwanted);
  });
});

/** A terminal with a zsh in it, in which Tab says between two marks what is offered. */
const ZSH = String.raw`
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= ; setopt no_beep; source $1"
zpty -w shell 'offer() {
  local -a all
  compadd() {
    local -a some
    builtin compadd -O some "$@"
    all+=("\${some[@]}")
    builtin compadd "$@"
  }
  _main_complete
  unfunction compadd
  print -r -- "FIRST\${(F)all}LAST"
}
zle -C offer list-choices offer; bindkey "^I" offer; print -r -- REA""DY'
zpty -r shell said "*READY*"
zpty -w -n shell "$2"$'\t'
zpty -r shell said "*FIRST*LAST*"
zpty -d shell
print -r -- "\${\${said##*FIRST}%%LAST*}"`.replaceAll('\\$', '$');

const zshMissing = programMissing('zsh', 'zsh');
describe.runIf(zshMissing === null)(`zsh ${zshMissing ?? ''}`, () => {
  it.each(CASES)('completes "%s"', async (line, wanted, unwanted) => {
    const args = ['-f', '-c', ZSH, 'zsh', await scriptOf('zsh'), line];
    const offered = runProgram('zsh', args, folder.path)
      .split(/\r?\n/)
      .map((word) => word.trim());

    expect(offered).toEqual(expect.arrayContaining([...wanted]));
    expect(offered).not.toContain(unwanted);
  });
});
