import { existsSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { createProgram } from '../../src/cli/program.js';
import { ROOT, readText } from './repository-files.js';

const text = readText('docs/INSTALL.md');
const lines = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n'));
/** Lines of the other texts that a test runs or reads. */
const tested = [
  readText('deploy/debian/build.sh'),
  readText('deploy/debian/postinst'),
  readText('deploy/container/Containerfile'),
].join('\n');

describe('docs/INSTALL.md', () => {
  it('has commands', () => {
    expect(lines.length).toBeGreaterThan(10);
  });

  it('names files that are there', () => {
    const named = [...text.matchAll(/\bdeploy\/[\w./-]*\w/g)].map(([name]) => name);

    expect(named.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
  });

  it.each([...text.matchAll(/\bvidimus ((?:config )?(?:healthcheck|check|schema))\b([^\n`]*)/g)].map(([all]) => all))(
    'has a command with options that there are: %s',
    (line) => {
      const words = line.trim().split(/\s+/).slice(1);
      let command = createProgram();
      while (words.length > 0) {
        const next = command.commands.find((each) => each.name() === words[0]);
        if (next === undefined) break;
        command = next;
        words.shift();
      }
      const options = command.options.flatMap(({ long, short }) => [long, short]);

      expect(command.commands).toEqual([]);
      expect(words.filter((word) => word.startsWith('-') && !options.includes(word))).toEqual([]);
    },
  );

  it('puts files where the package does', () => {
    const links = lines.filter((line) => line.startsWith('ln -s ')).map((line) => line.split(' ')[2] ?? '');
    const tools = lines.filter((line) => line.startsWith('systemd-')).map((line) => line.split(' ')[0] ?? '');

    expect([...links, ...tools].filter((word) => !tested.includes(word))).toEqual([]);
    expect([links.length, tools.length]).toEqual([1, 2]);
  });
});
