import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

/** Words that docs/GLOSSARY.md has replaced, as parts of identifiers and as words of comments and texts. */
const RETIRED = (
  'breather dear deed doomed doubt enemy fault faults film films gatekeeper gatekeepers lane lanes memo mover ' +
  'picture pictures rescue ripe slab slabs stray strays stranger strangers sweep sweeps swept sweeping ' +
  'tally trouble troubles wall walls wish wished wishes'
).split(' ');

/** Two words of camel case that only together were ours. */
const RETIRED_PAIRS = /(?:Media|Own)Hands|OutboundDoor|RuleBook|LineWriter|YoungMemory|MediaPlaces/;

/** Where one of the words stays, because it is a name on the wire, of HTML, or in pages of others. */
const EXCEPTIONS: readonly { file: RegExp; text: string; why: string }[] = [
  { file: /./, text: 'media_sweep', why: 'name of a job: API, command line, rows' },
  { file: /./, text: 'no_picture', why: 'reason of a step' },
  { file: /./, text: 'picture_undecoded', why: 'reason of a step' },
  { file: /preview|extract|oembed/, text: "'picture'", why: 'name of a stage; element of HTML' },
  { file: /extract/, text: 'img picture', why: 'elements of HTML' },
  { file: /extract/, text: 'picture element', why: 'element of HTML' },
  { file: /preview-steps/, text: 'pictures: ', why: 'detail of a step' },
  { file: /failure-advice|preview-steps/, text: "'wall'", why: 'reason of a step' },
  { file: /preview-steps/, text: 'wall: ', why: 'detail of a step' },
  { file: /^web-admin/, text: 'useMemo', why: 'hook of React' },
  { file: /store-unavailable/, text: 'fault: error', why: 'member of the 503 body' },
  { file: /^docs\/|^CHANGELOG/, text: '`fault`', why: 'member of the 503 body' },
  { file: /^CHANGELOG/, text: '`faults`', why: 'former member of log lines' },
  { file: /RELIABILITY|CONTRIBUTING|decisions\/runtime/, text: 'fault', why: 'what the soak causes' },
  { file: /RELIABILITY|CONTRIBUTING|decisions\/runtime/, text: 'faults', why: 'what the soak causes' },
  { file: /^docs\/bench\//, text: 'media: pictures', why: 'name of a case in stored results' },
  { file: /decisions\/media/, text: 'picture_total', why: 'name of a bound: metric and health' },
  { file: /^README/, text: 'picture>', why: 'element of HTML' },
  { file: /^docs\/GLOSSARY/, text: '`picture`', why: 'element of HTML' },
  { file: /^docs\/GLOSSARY/, text: 'fault', why: 'explained there' },
  { file: /config-command/, text: 'faults: errors', why: 'member of `config check --json`' },
];

const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = /\.(?:tsx?|css)$/;
const DOCUMENTS = /\.md$/;
const files = [
  ...['src', 'web-admin/src'].flatMap((tree) => readTree(tree, SOURCES)),
  ...readTree('docs', DOCUMENTS),
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'].map(readSource),
  ...['config.sample.yaml', 'prisma/schema.prisma'].map(readSource),
];

function readSource(path: string): { path: string; text: string } {
  return { path, text: readFileSync(join(ROOT, path), 'utf8') };
}

function readTree(tree: string, kind: RegExp): { path: string; text: string }[] {
  return readdirSync(join(ROOT, tree), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && kind.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\/(?:generated|gql|vocabulary)\/|default-providers\.ts$/.test(path))
    .map((path) => readSource(relative(ROOT, path)));
}

function retiredIn(line: string): string[] {
  const words = new Set((line.match(PART) ?? []).map((part) => part.toLowerCase()));
  const pair = RETIRED_PAIRS.exec(line)?.[0];
  return [...RETIRED.filter((word) => words.has(word)), ...(pair === undefined ? [] : [pair])];
}

describe('the words of the code', () => {
  it.each(files.map(({ path, text }) => [path, text] as const))('%s uses none that is retired', (path, text) => {
    const kept = EXCEPTIONS.filter(({ file }) => file.test(path));
    const found = [path, ...text.split('\n')].flatMap((line, at) => {
      const rest = kept.reduce((left, exception) => left.replaceAll(exception.text, ''), line);
      return retiredIn(rest).map((word) => `${path}:${at}: ${word}`);
    });
    expect(found).toEqual([]);
  });

  it('has no exception that nothing needs', () => {
    const idle = EXCEPTIONS.filter(
      ({ file, text }) => !files.some((each) => file.test(each.path) && each.text.includes(text)),
    );
    expect(idle).toEqual([]);
  });

  it('are no lines of a conflict', () => {
    expect(files.filter(({ text }) => /^(?:<{7}|>{7}) /m.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('explains each exception by a retired word', () => {
    expect(EXCEPTIONS.filter(({ text }) => retiredIn(text).length === 0)).toEqual([]);
  });
});
