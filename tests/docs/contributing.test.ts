import { describe, expect, it } from 'vitest';

import { readText, sourcesBelow } from './repository-files.js';

const LIST = readText('.ci/run');
/** Packages between brackets behind `packages`, without comments. */
const installed = [...LIST.matchAll(/packages\+?=\(([^)]*)\)/g)].flatMap(([, inner = '']) =>
  inner
    .replaceAll(/#.*/g, '')
    .split(/\s+/)
    .filter((name) => name !== ''),
);

describe('CONTRIBUTING', () => {
  it('names the packages that .ci/run installs, no others', () => {
    const [, rows = ''] =
      /^\| for \| packages \|\n\|---\|---\|\n((?:\|.*\n)+)/m.exec(readText('CONTRIBUTING.md')) ?? [];
    const named = [...rows.matchAll(/^\|.*?\|(.*)\|$/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    );
    expect(installed.length).toBeGreaterThan(20);
    expect(named.toSorted()).toEqual(installed.toSorted());
  });

  it('every package that is told to be missing is one of them', () => {
    const told = sourcesBelow('tests', 'bench').flatMap((file) => {
      const text = readText(file);
      const ofProgram = [...text.matchAll(/programMissing\('[^']+', '([^']+)'\)/g)].map(([, name = '']) => name);
      const ofSentence = [...text.matchAll(/\(Debian packages? ([a-z][^)]*)\)/g)].map(([, names = '']) => names);
      return [...ofProgram, ...ofSentence.flatMap((names) => names.split(', '))].map((name) => ({ file, name }));
    });
    expect(told.length).toBeGreaterThan(10);
    expect(told.filter(({ name }) => !installed.includes(name))).toEqual([]);
  });
});
