import { readdirSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { createProgram } from '../../src/cli/program.js';
import { commandsOf } from './page-commands.js';
import { ROOT, readText } from './repository-files.js';

const PAGES = [
  ...readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && name !== 'REMOVED.md')
    .map((name) => `docs/${name}`),
  'README.md',
  'CONTRIBUTING.md',
];
const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };

/** What a page tells the reader to type: shell blocks, and code between backticks in running text. */
function typedIn(page: string): string[] {
  const text = readText(page).replaceAll(/^```[^]*?^```$/gm, '');
  return [...commandsOf(page), ...[...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)];
}

const typed = PAGES.flatMap((page) => typedIn(page).map((text) => ({ page, text })));
const named = (pattern: RegExp) =>
  typed.flatMap(({ page, text }) => [...text.matchAll(pattern)].map(([, line = '']) => ({ page, line })));

/** Words of a line that are neither commands nor options nor values of ours. */
function unknownIn(line: string): string[] {
  const words = line.trim().split(/\s+/);
  const program = createProgram();
  let command = program;
  for (let next; (next = command.commands.find((each) => each.name() === words[0])); words.shift()) command = next;
  const options = [program, command].flatMap((each) => each.options).flatMap(({ long, short }) => [long, short]);
  const unknown = words.filter((word) => /^--?[a-z]/.test(word) && ![...options, '--help'].includes(word));
  const isGroup = command.commands.length > 0;
  return isGroup && /^[a-z]/.test(words[0] ?? '') ? [words[0]!, ...unknown] : unknown;
}

describe('commands in the documentation', () => {
  it('of the program exist, with their options', () => {
    const ours = named(/(?:^|[ ;&|(])(?:node bin\/vidimus\.js|npx vidimus|vidimus) ([a-z][^|>);&]*)/g);
    const wrong = ours.map(({ page, line }) => ({ page, line, unknown: unknownIn(line) }));

    expect(ours.length).toBeGreaterThan(20);
    expect(wrong.filter(({ unknown }) => unknown.length > 0)).toEqual([]);
  });

  it('of npm exist', () => {
    const wrong = named(/\bnpm run (?:--silent )?([\w:-]+)/g).filter(({ line }) => scripts[line] === undefined);

    expect(wrong).toEqual([]);
  });
});
