import { readFileSync, realpathSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';

import { createProgram } from '../../src/cli/program.js';
import { runHere } from './in-process.js';
import { startVidimus, temporaryFolder, vidimus } from './vidimus.js';
import { setUp } from '../support/set-up.js';

/** The program and all its commands, those below others too. */
function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)];
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

describe('vidimus', () => {
  const folder = setUp(temporaryFolder);
  const run = (...args: string[]) => runHere(args, { cwd: folder.path });
  const runProcess = (...args: string[]) => vidimus(args, { cwd: folder.path });

  it('has help with examples for every command, which fits a screen', () => {
    const commands = commandsOf(createProgram());
    const leaves = commands.filter(({ commands: below }) => below.length === 0);
    const isHelpful = (command: Command): boolean =>
      /^Usage: vidimus[^]*\nExamples:\n {2}\$ \S/.test(helpOf(command)) && command.description() !== '';

    expect(leaves.length).toBeLessThanOrEqual(40);
    expect(leaves.filter((each) => !isHelpful(each)).map((each) => each.name())).toEqual([]);
    const isLong = (command: Command): boolean => helpOf(command).split('\n').length > 25;
    expect(commands.filter(isLong).map((each) => `${each.name()}\n${helpOf(each)}`)).toEqual([]);
  });

  it('says what runs, with the commit it was built from', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const { code, stdout } = await runProcess('version', '--json');
    const said = JSON.parse(stdout) as Record<string, unknown>;

    expect(code).toBe(0);
    expect(said).toMatchObject({
      version,
      node: process.versions.node,
      folder: realpathSync('.'),
    });
    expect(said['commit']).toBe(readFileSync('dist/server/commit', 'utf8') || null);
    expect((await run('version')).stdout).toMatch(/^vidimus \d[^]*\ncommit {2}(?:[0-9a-f]{40}|unknown)/);
  });

  it.each([
    ['an unknown command', ['serv'], /unknown command 'serv'[^]*serve/],
    ['an unknown option', ['serve', '--confg', 'x'], /unknown option '--confg'/],
    ['an unknown scope', ['token', 'create', '--scope', 'root'], /Allowed choices are/],
    ['a bad server name', ['key', 'query', 'a b'], /is not allowed in a server name/],
  ])('refuses %s in a sentence, exit code 2', async (_what, args, message) => {
    const { code, stdout, stderr } = await run(...args);

    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^vidimus: /);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it('ends quietly when nobody reads its output any more', async () => {
    const running = startVidimus(['config', 'generate'], { cwd: folder.path });
    running.child.stdout?.destroy();

    expect(await running.finished).toMatchObject({ code: 0, stderr: '' });
  });
});
