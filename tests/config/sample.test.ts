import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { describeConfig } from '../../src/config/output/describe-config.js';
import { generateSample } from '../../src/config/output/generate-sample.js';
import { parseConfig } from '../../src/config/parse-config.js';
import { CONFIG_SCHEMA, SECTIONS } from '../../src/config/schema.js';
import { listSettings } from '../../src/config/setting-tree.js';
import { configOf, createConfigFolder, type ConfigFolder } from './support.js';

let folder: ConfigFolder;

beforeAll(async () => {
  folder = await createConfigFolder();
});

afterAll(() => folder.remove());

describe('the sample', () => {
  it('is the committed config.sample.yaml; after a change: vidimus config generate', async () => {
    const committed = await readFile(new URL('../../config.sample.yaml', import.meta.url), 'utf8');

    expect(committed).toBe(generateSample());
  });

  it('wants only the server name', async () => {
    expect(await folder.errors(generateSample())).toEqual([
      'config.yaml:1:1  server_name: is missing; expected: a server name such as example.org, example.org:8448 or [2001:db8::1]',
    ]);
  });

  it('with a server name gives the defaults', async () => {
    const plain = configOf(await folder.load('server_name: a.org'));

    const loaded = await folder.load(generateSample('a.org'));

    expect(configOf(loaded)).toEqual(plain);
    expect(loaded.warnings).toEqual([]);
  });

  it('gives the defaults too when every setting with a default is uncommented', async () => {
    const plain = configOf(await folder.load('server_name: a.org'));
    const blocks = generateSample('a.org').split('\n\n');
    const uncommented = blocks
      .map((block) =>
        block.includes('; unset by default, ') ? block : block.replaceAll(/^( *)#(?! |$)/gm, '$1'),
      )
      .map((block) => (block.includes('; default') ? block.replaceAll(/^( *)# {2}/gm, '$1  ') : block))
      .join('\n\n');

    const config = configOf(await folder.load(uncommented));

    expect(config).toEqual(plain);
  });
});

describe('every setting', () => {
  const settings = listSettings();

  it.each(settings)('$name is documented, and its default or example has the wanted form', ({ about }) => {
    const written = about.default === undefined ? about.example : about.default;

    expect(about.doc).toMatch(/^\S.{10,115}[^.\s]$/);
    expect(about.kind.schema.safeParse(written).success).toBe(true);
  });

  it('is in a section', () => {
    const inSections = SECTIONS.flatMap(({ settings }) => Object.keys(settings));

    expect(inSections.toSorted()).toEqual(Object.keys(CONFIG_SCHEMA.shape).toSorted());
  });
});

describe('config show', () => {
  it('gives value, default and source in the form operators write, passwords masked', async () => {
    const loaded = await folder.load(
      'server_name: a.org\nmax_spider_size: 2048\ndatabase:\n  engine: postgresql\n  url: postgresql://u:hunter2@h/d?password=hunter2',
      { VIDIMUS__KEY_REFRESH_INTERVAL: '90m' },
    );
    const rows = describeConfig(configOf(loaded), loaded.ok ? loaded.sources : undefined);
    const row = (name: string) => rows.find((candidate) => candidate.name === name);

    expect(row('max_spider_size')).toMatchObject({ value: '2K', default: '10M', source: 'file' });
    expect(row('key_refresh_interval')).toMatchObject({
      value: '90m',
      source: 'environment VIDIMUS__KEY_REFRESH_INTERVAL',
    });
    expect(row('previews.rate_limit.interval')).toMatchObject({ value: '1s', source: 'default' });
    expect(row('database.url')?.value).toBe('postgresql://u:***@h/d?***');
    expect(JSON.stringify(rows)).not.toContain('hunter2');
    expect(rows).toHaveLength(listSettings().length);
  });

  const SECRET = 'hunter2-hunter2-hunter2';
  const SECRETS: Record<string, { written: unknown; shown: unknown; beside?: object }> = {
    'alerts.webhook.url': {
      written: `https://hooks.test/${SECRET}`,
      shown: 'https://hooks.test/***',
      beside: { alerts: { webhook: { secret: SECRET } } },
    },
    'alerts.webhook.secret': { written: SECRET, shown: '***' },
    'database.url': { written: `postgresql://u:${SECRET}@h/d`, shown: 'postgresql://u:***@h/d' },
    'media.s3.secret_access_key': { written: SECRET, shown: '***' },
    'previews.proxy_url': {
      written: `http://u:${SECRET}@proxy.test/`,
      shown: 'http://u:***@proxy.test/',
      beside: { previews: { proxy_filters_addresses: true } },
    },
  };
  const secretNames = listSettings()
    .filter(({ about }) => about.secret)
    .map(({ name }) => name);
  /** A configuration in which one setting has another value. */
  const withValue = (config: Record<string, unknown>, name: string, value: unknown) => {
    const [first = '', ...rest] = name.split('.');
    const inner = (config[first] ?? {}) as Record<string, unknown>;
    const changed: unknown = rest.length === 0 ? value : withValue(inner, rest.join('.'), value);
    return { ...config, [first]: changed };
  };

  it.each(secretNames)('shows nothing secret of %s', (name) => {
    const { written, shown, beside } = SECRETS[name]!;
    const parsed = parseConfig(withValue({ server_name: 'a.org', ...beside }, name, written));
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));

    const rows = describeConfig(parsed.config);

    expect(rows.find((row) => row.name === name)?.value).toEqual(shown);
    expect(JSON.stringify(rows)).not.toContain('hunter2');
  });

  it.each([
    ['a text', SECRET],
    ['a number', 31_337],
    ['a list', [SECRET, 31_337]],
    ['a list of maps', [{ token: SECRET, pin: 31_337, deeper: { token: SECRET }, list: [SECRET] }]],
    ['a map', { [SECRET]: SECRET }],
    ['a map of the language', new Map([[SECRET, SECRET]])],
    ['a set', new Set([SECRET])],
    ['a pattern', /hunter2/],
  ])('masks a secret that is %s', async (_form, value) => {
    const config = configOf(await folder.load('server_name: a.org'));
    for (const name of secretNames) {
      const planted = withValue({ ...config }, name, value) as unknown as typeof config;

      expect(`${name}: ${JSON.stringify(describeConfig(planted))}`).not.toMatch(/hunter2|31337/);
    }
  });

  it('tells a secret that is unset from one that is masked', async () => {
    const rows = describeConfig(configOf(await folder.load('server_name: a.org')));

    const values = secretNames.map((name) => rows.find((row) => row.name === name)?.value);
    expect(values.filter((value) => value !== null)).toEqual([]);
  });
});

describe('parseConfig', () => {
  it('gives a configuration for a plain object, or its problems', () => {
    expect(parseConfig({ server_name: 'a.org' }).ok).toBe(true);
    expect(parseConfig({ server_name: 'a.org', database: { engine: 'postgresql' } }).ok).toBe(false);
    expect(parseConfig(null).ok).toBe(false);
    expect(parseConfig([]).ok).toBe(false);
  });
});
