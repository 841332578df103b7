import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';

import { createProgram } from '../../src/cli/program.js';
import { readText } from './repository-files.js';

/** Words of every command that does something by itself, without those of help. */
function pathsOf(command: Command, path: readonly string[] = []): string[][] {
  const below = command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');
  return below.length === 0
    ? [[...path]]
    : below.flatMap((each) => pathsOf(each, [...path, each.name()]));
}

const [, table = ''] = readText('README.md').split('\n## Commands\n')[1]?.match(/\|\n((?:\|.*\n)+)/) ?? [];
/** Commands that each line names, without their arguments. */
const lines = table
  .split('\n')
  .map((line) => line.split(' | ')[0] ?? '')
  .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace(/ [[A-Z-].*$/, '')));

/** By its words, perhaps with an argument, by those of its group, or by its last word behind another of its group. */
function isNamed(path: string): boolean {
  const [group = ''] = path.split(' ', 1);
  return lines.some(
    (named) =>
      named.some((each) => `${path} `.startsWith(`${each} `) || each.startsWith(`${path} `)) ||
      (named.some((each) => each.startsWith(`${group} `)) &&
        named.some((each) => path.endsWith(` ${each}`))),
  );
}

describe('the table of commands in the README', () => {
  const paths = pathsOf(createProgram()).map((path) => path.join(' '));

  it('names every command, or its group', () => {
    expect(paths.length).toBeGreaterThan(50);
    expect(paths.filter((path) => !isNamed(path))).toEqual([]);
  });

  it('names nothing that is no command', () => {
    const isCommand = (each: string) =>
      paths.some(
        (path) =>
          `${path} `.startsWith(`${each} `) || each.startsWith(`${path} `) || path.endsWith(` ${each}`),
      );
    expect(
      lines
        .map((named) => named.filter((each) => !isCommand(each)))
        .filter((named) => named.length > 0),
    ).toEqual([]);
  });
});
