import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

interface SourceFile {
  /** Path below src. */
  path: string;
  text: string;
  imports: { specifier: string; typeOnly: boolean }[];
}

const IMPORT = /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)';/gm;
const DYNAMIC_IMPORT = /\bimport\('([^']+)'\)/g;

const files: SourceFile[] = readdirSync(SRC, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((path) => !path.includes('/generated/'))
  .map((path) => {
    const text = readFileSync(path, 'utf8');
    const fixed = [...text.matchAll(IMPORT)].map((m) => ({ specifier: m[2]!, typeOnly: m[1] !== undefined }));
    const dynamic = [...text.matchAll(DYNAMIC_IMPORT)].map((m) => ({ specifier: m[1]!, typeOnly: false }));
    return { path: relative(SRC, path), text, imports: [...fixed, ...dynamic] };
  });

/** The layer a path below src belongs to: `core/keys`, `rest`, `context` … */
function layerOf(path: string): string {
  const parts = path.split('/');
  if (parts[0] !== 'core') return parts.length === 1 ? parts[0]!.replace(/\.ts$/, '') : parts[0]!;
  return parts.length === 2 ? 'core' : `core/${parts[1]!}`;
}

function targetsOf(file: SourceFile): { layer: string; typeOnly: boolean }[] {
  return file.imports
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier, typeOnly }) => ({
      layer: layerOf(normalize(join(dirname(file.path), specifier.replace(/\.js$/, '.ts')))),
      typeOnly,
    }));
}

/** Who may import whom; `docs/ARCHITECTURE.md` says why. A layer may always import itself. */
const MAY_IMPORT: Record<string, string[]> = {
  cli: ['*'],
  context: [
    'config',
    'core*',
    'jobs',
    'job-services',
    'blocking-services',
    'live-settings',
    'database-options',
    'key-services',
    'key-fetch-services',
    'preview-services',
    'media-services',
    'admin-services',
    'admin-access',
    'overview-services',
    'version',
  ],
  'admin-access': ['config', 'core*', 'context:type'],
  'admin-listener': ['config:type', 'core*', 'rest', 'context:type', 'version'],
  gatekeepers: ['config:type', 'core*'],
  'database-options': ['core*', 'context:type'],
  'cleanup-services': ['config:type', 'core*', 'context:type'],
  'blocking-services': ['config:type', 'core*', 'gatekeepers:type'],
  'live-settings': [
    'config',
    'core*',
    'context:type',
    'blocking-services',
    'key-services:type',
    'preview-services:type',
  ],
  'job-services': ['config', 'core*', 'context:type'],
  'key-services': ['config', 'core*', 'jobs', 'context:type', 'key-fetch-services', 'job-services:type'],
  'key-fetch-services': ['config', 'core*', 'context:type'],
  'key-admin-services': ['config', 'core*', 'key-services:type', 'key-fetch-services', 'context:type'],
  'preview-services': [
    'config',
    'core*',
    'jobs',
    'context:type',
    'media-services',
    'worker-services',
    'job-services:type',
    'gatekeepers',
    'cleanup-services',
  ],
  'media-services': ['config', 'core*', 'context:type'],
  'worker-services': ['core*', 'context:type'],
  worker: ['core*', 'worker-services:type'],
  'overview-services': [
    'config',
    'core*',
    'jobs',
    'context:type',
    'job-services:type',
    'key-services:type',
    'preview-services:type',
    'version',
  ],
  'preview-admin-services': ['config', 'core*', 'context:type', 'preview-services:type'],
  'admin-services': [
    'config',
    'admin-access:type',
    'core*',
    'jobs',
    'context:type',
    'key-admin-services',
    'preview-admin-services',
    'key-services:type',
    'overview-services:type',
    'preview-services:type',
    'media-services:type',
    'version',
    'blocking-services:type',
    'job-services:type',
  ],
  service: ['config', 'core*', 'rest', 'graphql', 'server', 'context:type', 'admin-listener'],
  server: ['rest', 'core*'],
  version: [],
  config: ['core/address', 'core/rules', 'core/federation', 'core'],
  rest: ['core*', 'context:type'],
  graphql: ['core*', 'context:type', 'admin-services:type'],
  jobs: ['core*'],
  core: ['core/db'],
  'core/json': ['core'],
  'core/rules': ['core'],
  'core/charset': ['core'],
  'core/extract': ['core', 'core/charset', 'core/json'],
  'core/worker': ['core'],
  'core/address': ['core'],
  'core/dns': ['core', 'core/address'],
  'core/http': ['core', 'core/address', 'core/dns'],
  'core/db': ['core'],
  'core/auth': ['core', 'core/db', 'core/federation', 'core/http'],
  'core/admin': ['core', 'core/address', 'core/db', 'core/auth'],
  'core/federation': ['core', 'core/address', 'core/dns', 'core/http', 'core/json'],
  'core/signing': ['core', 'core/json'],
  'core/key-record': ['core', 'core/json', 'core/signing'],
  'core/keys': [
    'core',
    'core/db',
    'core/federation',
    'core/http',
    'core/json',
    'core/key-record',
    'core/signing',
  ],
  'core/diagnosis': ['core', 'core/federation', 'core/json', 'core/key-record', 'core/keys'],
  'core/key-admin': [
    'core',
    'core/db',
    'core/diagnosis',
    'core/federation',
    'core/json',
    'core/key-record',
    'core/keys',
    'core/signing',
  ],
  'core/overview': ['core', 'core/db', 'core/keys'],
  'core/media': ['core', 'core/db', 'core/worker'],
  'core/job-run': ['core', 'core/db'],
  'core/blocking': ['core', 'core/db', 'core/address', 'core/dns', 'core/rules'],
  'core/cleanup': ['core', 'core/db', 'core/job-run', 'core/media'],
  'core/media-admin': ['core', 'core/cleanup', 'core/db', 'core/job-run', 'core/media'],
  'core/preview-admin': ['core', 'core/db', 'core/job-run', 'core/media-admin', 'core/preview'],
  'core/oembed': ['core', 'core/charset', 'core/extract', 'core/json', 'core/rules'],
  'core/download': ['core', 'core/address', 'core/dns', 'core/http', 'core/rules'],
  'core/preview': [
    'core',
    'core/db',
    'core/address',
    'core/http',
    'core/json',
    'core/rules',
    'core/charset',
    'core/extract',
    'core/media',
    'core/oembed',
    'core/download',
  ],
};

function isAllowed(from: string, target: { layer: string; typeOnly: boolean }): boolean {
  if (from === target.layer) return true;
  return (MAY_IMPORT[from] ?? []).some((rule) => {
    if (rule === '*' || rule === target.layer) return true;
    if (rule === 'core*') return target.layer === 'core' || target.layer.startsWith('core/');
    return rule.endsWith(':type') && target.typeOnly && rule === `${target.layer}:type`;
  });
}

/** Packages and Node modules that only certain files may import. */
const RESERVED: { specifier: RegExp; allowed: RegExp; why: string }[] = [
  {
    specifier: /^(?:node:)?(?:http|https|http2|net|tls|dgram)$/,
    allowed: /^(?:core\/http\/|server\.ts$|rest\/)/,
    why: 'one outbound door',
  },
  {
    specifier: /^(?:got|got-scraping|undici)(?:$|\/)/,
    allowed: /^core\/(?:http|download)\//,
    why: 'one outbound door',
  },
  {
    specifier: /^(?:@prisma\/.*|.*\/generated\/.*)$/,
    allowed: /^core\/db\//,
    why: 'Prisma stays in core/db',
  },
  {
    specifier: /^express$/,
    allowed: /^(?:rest\/|server\.ts$|service\.ts$|admin-listener\.ts$|graphql\/server\.ts$)/,
    why: 'Express stays at the edge',
  },
  { specifier: /^sharp$/, allowed: /^core\/media\/picture\/thumbnailer\.ts$/, why: 'sharp in one file' },
  {
    specifier: /^cheerio$/,
    allowed: /^core\/(?:oembed|preview)\//,
    why: 'cheerio on bounded fragments only',
  },
  { specifier: /^type-graphql$/, allowed: /^graphql\//, why: 'decorators only in graphql' },
  { specifier: /^(?:commander|pino-pretty)$/, allowed: /^cli\//, why: 'terminal libraries only in cli' },
];

describe('architecture', () => {
  it('has a rule for every layer', () => {
    const layers = new Set(files.map((file) => layerOf(file.path)));

    expect([...layers].filter((layer) => !(layer in MAY_IMPORT))).toEqual([]);
  });

  it('lets calls go down only', () => {
    const wrong = files.flatMap((file) =>
      targetsOf(file)
        .filter((target) => !isAllowed(layerOf(file.path), target))
        .map((target) => `${file.path} imports ${target.layer}`),
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

  it('sends no request through the global fetch', () => {
    const wrong = files.filter(
      (file) => /(?<![.\w#])fetch\(/.test(file.text) && !/^\s*(?:async )?fetch\(/m.test(file.text),
    );

    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('reads process.env at the edge only', () => {
    const wrong = files.filter((file) => file.text.includes('process.env') && !file.path.startsWith('cli/'));

    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('reads the time from the clock only', () => {
    const wrong = files.filter(
      (file) => /\bDate\.now\(|new Date\(\)/.test(file.text) && file.path !== 'core/clock.ts',
    );

    expect(wrong.map((file) => file.path)).toEqual([]);
  });
});
