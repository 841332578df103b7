import { describe, expect, it } from 'vitest';

import { readText, sourcesBelow } from './repository-files.js';

const LETTER_OF: Readonly<Record<string, string>> = {
  keys: 'K',
  previews: 'P',
  media: 'M',
  network: 'N',
  operators: 'O',
  storage: 'S',
  runtime: 'R',
  dependencies: 'D',
};
const AREAS = Object.keys(LETTER_OF);
const ENTRY = /^- \*\*((?:[A-Z]-1?|O-2)\d{2})\*\* \((\d{4}-\d{2}-\d{2})\) (\S.*[.!)`]) \*\*Why:\*\* (\S.*\.)$/;
const CITATION = /(?<![\w-])(?:[KPMNOSRD]-1?|O-2)\d{2}\b(?!-)/g;

interface Line {
  area: string;
  section: string;
  text: string;
  id: string;
  dated: string;
}

/** Every list line of every area, with what could be read of it. */
function lines(): Line[] {
  return AREAS.flatMap((area) => {
    let section = '';
    return readText(`docs/decisions/${area}.md`)
      .split('\n')
      .flatMap((text) => {
        if (text.startsWith('## ')) section = text;
        if (!text.startsWith('- ')) return [];
        const [, id = '', dated = ''] = ENTRY.exec(text) ?? [];
        return [{ area, section, text, id, dated }];
      });
  });
}

const numberOf = ({ id }: { id: string }): number => Number(id.slice(2));

describe('docs/decisions', () => {
  it('says of each what, why and when, in one line', () => {
    expect(lines().length).toBeGreaterThan(250);
    expect(lines().filter(({ id, dated }) => id === '' || Number.isNaN(Date.parse(dated)))).toEqual([]);
  });

  it('gives each an id of its area, once, and in ascending order within a section', () => {
    const all = lines();
    expect(all.filter(({ area, id }) => !id.startsWith(`${LETTER_OF[area]}-`))).toEqual([]);
    expect(all.filter(({ id }, at) => all.findIndex((other) => other.id === id) !== at)).toEqual([]);
    const descending = all.filter((line, at) => {
      const before = all[at - 1];
      return before?.area === line.area && before.section === line.section && numberOf(before) > numberOf(line);
    });
    expect(descending).toEqual([]);
  });

  it('is listed in its index, file by file', () => {
    const index = readText('docs/decisions/README.md');
    for (const area of AREAS) expect(index).toContain(`| [${area}.md](${area}.md) | ${LETTER_OF[area]} |`);
  });

  it('holds every id that is cited', () => {
    const known = new Set(lines().map(({ id }) => id));
    const texts = [
      ...sourcesBelow('src', 'tests', 'web-admin', 'bench', 'scripts').filter(
        (file) => !file.startsWith('tests/docs/'),
      ),
      ...AREAS.map((area) => `docs/decisions/${area}.md`),
      'docs/SPEC.md',
      'docs/ARCHITECTURE.md',
      'docs/STYLE.md',
      'config.sample.yaml',
    ];
    const cited = texts.flatMap((file) => (readText(file).match(CITATION) ?? []).map((id) => ({ file, id })));
    expect(cited.length).toBeGreaterThan(300);
    expect(cited.filter(({ id }) => !known.has(id))).toEqual([]);
  });

  it('names every difference that the two runs of the preview interface show (P-51)', () => {
    const told = lines().find(({ id }) => id === 'P-51')?.text.match(/what fails then is ([^;]*) marked/)?.[1];
    const marked = sourcesBelow('tests').flatMap((file) =>
      [...readText(file).matchAll(/onlyEnhanced\('(P-\d{2})'\)/g)].map(([, id = '']) => id),
    );
    expect(told?.match(CITATION)).toEqual([...new Set(marked)].toSorted());
  });

  it('has a line for each package of package.json, and none for others', () => {
    const { dependencies, devDependencies } = JSON.parse(readText('package.json'));
    const wanted = [...Object.keys(dependencies), ...Object.keys(devDependencies)].toSorted();
    const told = lines()
      .filter(({ area }) => area === 'dependencies')
      .map(({ text }) => /\) `([^`]+)`: /.exec(text)?.[1] ?? text);
    expect(told.toSorted()).toEqual(wanted);
  });
});
