import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

interface SourceFile {
  /** Path below the root of the tree. */
  path: string;
  text: string;
  imports: { specifier: string; typeOnly: boolean; isDynamic: boolean }[];
}

const IMPORT = /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)';/gm;
const DYNAMIC_IMPORT = /\b(?:import|createRequire\(import\.meta\.url\))\('([^']+)'\)/g;

const files = readTree('src');
const pages = readTree('web-admin/src');

function readTree(name: string): SourceFile[] {
  const root = fileURLToPath(new URL(`../${name}`, import.meta.url));
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\/(?:generated|gql)\//.test(path))
    .map((path) => {
      const text = readFileSync(path, 'utf8');
      const fixed = [...text.matchAll(IMPORT)].map((m) => ({
        specifier: m[2]!,
        typeOnly: m[1] !== undefined,
        isDynamic: false,
      }));
      const dynamic = [...text.matchAll(DYNAMIC_IMPORT)].map((m) => ({
        specifier: m[1]!,
        typeOnly: false,
        isDynamic: true,
      }));
      return { path: relative(root, path), text, imports: [...fixed, ...dynamic] };
    });
}

/** Paths of the files that stand in a circle of imports, or between two such circles. */
function circles(tree: readonly SourceFile[]): string[] {
  const paths = new Set(tree.map(({ path }) => path));
  const targets = new Map(tree.map((file) => [file.path, importedFiles(file, paths)]));
  let left = paths;
  for (let before = -1; before !== left.size;) {
    before = left.size;
    const inner = [...left].filter((path) => targets.get(path)!.some((target) => left.has(target)));
    const imported = new Set(inner.flatMap((path) => targets.get(path)!));
    left = new Set(inner.filter((path) => imported.has(path)));
  }
  return [...left].toSorted();
}

function importedFiles({ path, imports }: SourceFile, paths: ReadonlySet<string>): string[] {
  return imports
    .filter(({ specifier }) => specifier.startsWith('.'))
    .flatMap(({ specifier }) => {
      const target = normalize(join(dirname(path), specifier)).replace(/\.jsx?$/, '');
      return [`${target}.ts`, `${target}.tsx`].filter((candidate) => paths.has(candidate));
    });
}

/** The folder or wing a path below src belongs to: `rest`, `core/notary`; `worker` for the file. */
function layerOf(path: string): string {
  const parts = path.replace(/\.ts$/, '').split('/');
  return parts[0] === 'core' ? `core/${parts[1]!}` : parts[0]!;
}

function targetsOf(file: SourceFile): { path: string; layer: string; typeOnly: boolean }[] {
  return file.imports
    .filter(({ specifier }) => specifier.startsWith('.') && !specifier.includes('/generated/'))
    .map(({ specifier, typeOnly }) => {
      const path = normalize(join(dirname(file.path), specifier)).replace(/\.js$/, '.ts');
      return { path, layer: layerOf(path), typeOnly };
    });
}

/** The floors that the wings stand on. */
const GROUND = ['core/store', 'core/net', 'core/base'];

/** Who may import whom; `docs/ARCHITECTURE.md` draws it. Each may import itself; `core/*` is every wing. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  cli: ['server', 'composition', 'config', 'core/*'],
  server: ['rest', 'graphql', 'composition', 'config', 'core/access', 'core/base'],
  worker: ['core/preview', 'core/store', 'core/base'],
  composition: ['jobs', 'config', 'core/*'],
  graphql: ['core/*'],
  rest: ['core/access', 'core/preview', 'core/notary', ...GROUND],
  jobs: ['core/*'],
  config: ['core/preview', 'core/notary', 'core/net', 'core/base'],
  'core/operators': ['core/preview', 'core/access', 'core/notary', 'core/job-runner', ...GROUND],
  'core/preview': ['core/job-runner', ...GROUND],
  'core/access': ['core/notary', ...GROUND],
  'core/notary': GROUND,
  'core/job-runner': ['core/store', 'core/base'],
  'core/store': ['core/base'],
  'core/net': ['core/base'],
  'core/base': [],
};

function isAllowed(from: string, target: { layer: string }): boolean {
  if (from === target.layer) return true;
  return (MAY_IMPORT[from] ?? []).some((rule) => {
    if (rule === 'core/*') return target.layer.startsWith('core/');
    return rule === target.layer;
  });
}

/** Packages and Node modules that only certain files may import. */
const RESERVED: { specifier: RegExp; allowed: RegExp; why: string }[] = [
  {
    specifier: /^(?:node:)?(?:http|https|http2|net|tls|dgram)$/,
    allowed: /^(?:core\/net\/(?:http|object-storage)\/|server\/|rest\/)/,
    why: 'one safe HTTP client',
  },
  {
    specifier: /^(?:got|got-scraping|undici)(?:$|\/)/,
    allowed: /^core\/(?:net\/http|preview\/download)\//,
    why: 'one safe HTTP client',
  },
  {
    specifier: /^(?:@prisma\/.*|.*\/generated\/.*)$/,
    allowed: /^core\/store\//,
    why: 'Prisma stays in core/store',
  },
  {
    specifier: /^express$/,
    allowed: /^(?:rest|server)\//,
    why: 'Express stays at the edge',
  },
  {
    specifier: /^sharp$/,
    allowed: /^core\/preview\/media\/image\/thumbnailer\.ts$/,
    why: 'sharp where it is used and loaded',
  },
  {
    specifier: /^cheerio(?:$|\/)/,
    allowed: /^core\/preview\/(?:extract|oembed)\//,
    why: 'pages are read on bounded trees',
  },
  { specifier: /^type-graphql$/, allowed: /^graphql\//, why: 'decorators only in graphql' },
  { specifier: /^commander$/, allowed: /^cli\//, why: 'terminal libraries only in cli' },
];

/** Files that may use `JSON.parse`, which may misread escaped member names: they read our own writing, or texts to show. */
const MAY_PARSE_LOOSELY: ReadonlySet<string> = new Set([
  'convert-oembed.ts',
  'instance-messages.ts',
  'keyset-cursor.ts',
  'linked-data.ts',
  'oembed-providers.ts',
  'preview-store.ts',
  'private-parts.ts',
  'previews.ts',
  'run-service.ts',
  'stored-audit-log.ts',
  // Of single strings and numbers, whose form it has checked.
  'strict-json.ts',
  'start.ts',
  'version.ts',
]);

/** What a start on SQLite loads, with all that it imports at once. */
const LOADED_AT_START = [
  'cli/commands/serve.ts',
  'cli/serve/run-service.ts',
  'composition/services.ts',
  'composition/preview-pipeline.ts',
  'core/store/sqlite/adapter.ts',
  'core/store/sqlite/driver.ts',
];
const LOADED_WHEN_NEEDED = /^(?:pg|@prisma\/adapter-pg|graphql|type-graphql|@apollo\/.*|got-scraping|sharp)$/;

/** Paths of the files, with all that they import at once. */
function closureOf(paths: readonly string[]): SourceFile[] {
  const known = new Set(files.map(({ path }) => path));
  const found = new Map<string, SourceFile>();
  const left = [...paths];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    const file = files.find((candidate) => candidate.path === path);
    if (file === undefined) throw new Error(`there is no ${path}`);
    if (found.has(path)) continue;
    const imports = file.imports.filter(({ typeOnly, isDynamic }) => !typeOnly && !isDynamic);
    found.set(path, { ...file, imports });
    left.push(...importedFiles({ ...file, imports }, known));
  }
  return [...found.values()];
}

describe('architecture', () => {
  it('has a row for every folder and wing, and none besides', () => {
    const layers = new Set(files.map((file) => layerOf(file.path)));

    expect([...layers].toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted());
  });

  it('has folders of tests that are folders of src, but below rest, where they go by who asks and what goes wrong', () => {
    const folders = new Set(
      files.flatMap(({ path }) => path.split('/').map((_, at, parts) => parts.slice(0, at).join('/'))),
    );
    const tests = readdirSync(fileURLToPath(new URL('.', import.meta.url)), {
      withFileTypes: true,
      recursive: true,
    })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map(({ parentPath }) => relative(fileURLToPath(new URL('.', import.meta.url)), parentPath));

    const mirrored = tests.filter(
      (folder) => folders.has(folder.split('/')[0]!) && !folder.startsWith('rest/'),
    );

    expect(mirrored.length).toBeGreaterThan(200);
    expect(mirrored.filter((folder) => !folders.has(folder))).toEqual([]);
  });

  it.each([
    { tree: 'src', of: () => files },
    { tree: 'web-admin/src', of: () => pages },
  ])('ties no circle of files in $tree, types counted', ({ of }) => {
    expect(circles(of())).toEqual([]);
  });

  it('lets calls go down only', () => {
    const wrong = files.flatMap((file) =>
      targetsOf(file)
        .filter((target) => !isAllowed(layerOf(file.path), target))
        .map((target) => `${file.path} imports ${target.path}`),
    );

    expect(wrong).toEqual([]);
  });

  it('keeps reserved packages where they belong', () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter(({ typeOnly }) => !typeOnly)
        .flatMap(({ specifier }) =>
          RESERVED.filter((rule) => rule.specifier.test(specifier) && !rule.allowed.test(file.path)).map(
            (rule) => `${file.path} imports ${specifier}: ${rule.why}`,
          ),
        ),
    );

    expect(wrong).toEqual([]);
  });

  it('loads at the start no library that only other engines, operators and previews need', () => {
    const early = closureOf(LOADED_AT_START).flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier }) => LOADED_WHEN_NEEDED.test(specifier))
        .map(({ specifier }) => `${path} imports ${specifier}`),
    );

    expect(early).toEqual([]);
  });

  it('takes the word of JSON.parse for nothing that identifies or authorises', () => {
    const used = files.filter((file) => file.text.includes('JSON.parse(')).map(({ path }) => basename(path));

    expect(used.filter((name) => !MAY_PARSE_LOOSELY.has(name))).toEqual([]);
  });

  it('reads addresses of others where the length of their hosts is bounded', () => {
    const ours =
      /^(?:core\/base\/text\/url\.ts|core\/access\/operators\/same-origin\.ts|core\/preview\/oembed\/oembed-providers\.ts|config\/|cli\/)/;
    const offenders = files.filter(({ path, text }) => !ours.test(path) && text.includes('URL.canParse('));
    expect(offenders.map(({ path }) => path)).toEqual([]);
  });

  it('sends no request through the global fetch', () => {
    const wrong = files.filter(
      (file) => /(?<![.\w#])fetch\(/.test(file.text) && !/^\s*(?:async )?fetch\(/m.test(file.text),
    );

    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('exports no function, class or constant that no other file imports', () => {
    const root = fileURLToPath(new URL('..', import.meta.url));
    const others = ['tests', 'bench', 'scripts', 'demo'].flatMap((tree) =>
      readdirSync(join(root, tree), { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && /\.m?[jt]s$/.test(entry.name))
        .map((entry) => ({ path: '', text: readFileSync(join(entry.parentPath, entry.name), 'utf8') })),
    );
    const holders = new Map<string, Set<string>>();
    for (const { path, text } of [...files, ...others])
      for (const word of text.match(/\w+/g) ?? [])
        holders.set(word, (holders.get(word) ?? new Set()).add(path));
    const EXPORT = /^export (?:async )?(?:abstract )?(?:function\*?|const|class) (\w+)/gm;
    const unused = files.flatMap(({ path, text }) =>
      [...text.matchAll(EXPORT)]
        .filter(([, name = '']) => holders.get(name)?.size === 1)
        .map(([, name]) => `${path}: ${name}`),
    );

    expect(unused).toEqual([]);
  });

  it('takes columns of plain SQL for what databases have, never unchecked for one of our words', () => {
    const PLAIN = /^\w+\??: (?:(?:number|string|bigint|boolean|Uint8Array|unknown|null)(?: \| )?)+$/;
    const wrong = files.flatMap(({ path, text }) =>
      [...text.matchAll(/\bquery<(?:(\w+)|\{([^}]*)\})>/g)]
        .flatMap(([, name, inline]) => {
          const body = inline ?? new RegExp(`interface ${name}\\b[^{]*\\{([^}]*)\\}`).exec(text)?.[1] ?? '';
          const members = body.replaceAll(/\/\*\*[^]*?\*\//g, '').split(';');
          return members
            .map((member) => member.trim())
            .filter((member) => member !== '' && !PLAIN.test(member));
        })
        .map((member) => `${path}: ${member}`),
    );

    expect(wrong).toEqual([]);
  });

  it('reads process.env at the edge only', () => {
    const wrong = files.filter((file) => file.text.includes('process.env') && !file.path.startsWith('cli/'));

    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('reads the time from the clock only', () => {
    const wrong = files.filter(
      (file) => /\bDate\.now\(|new Date\(\)/.test(file.text) && file.path !== 'core/base/clock.ts',
    );

    expect(wrong.map((file) => file.path)).toEqual([]);
  });
});
