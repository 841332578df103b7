import { readFile } from 'node:fs/promises';

import { describe, expect, it } from 'vitest';

import { generateSample } from '../../src/config/output/generate-sample.js';
import { CONFIG_SCHEMA, SECTIONS } from '../../src/config/schema.js';
import { listSettings } from '../../src/config/setting-tree.js';
import { viewSettings } from '../../src/config/setting-view.js';
import { configOf, createConfigFolder } from './support.js';
import { setUp } from '../support/set-up.js';

const folder = setUp(createConfigFolder);

describe('the sample', () => {
  it('is the committed config.sample.yaml; after a change: vidimus config generate', async () => {
    const committed = await readFile(new URL('../../config.sample.yaml', import.meta.url), 'utf8');

    expect(committed).toBe(generateSample());
  });

  it('with a server name gives the defaults', async () => {
    const plain = configOf(await folder.load('server_name: a.org'));

    const loaded = await folder.load(generateSample('a.org'));

    expect(configOf(loaded)).toEqual(plain);
    expect(loaded.warnings).toEqual([]);
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

describe('what operators see of a configuration', () => {
  it('is value, default and source in the form operators write', async () => {
    const loaded = await folder.load(
      'server_name: a.org\nmax_spider_size: 2048\nmedia: {s3: {endpoint: "https://u:hunter2@s3.test/a"}}',
      { VIDIMUS__KEY_REFRESH_INTERVAL: '90m' },
    );
    if (!loaded.ok) throw new Error('refused');
    const rows = viewSettings(loaded);
    const row = (name: string) => rows.find(({ path }) => path === name);

    expect(row('max_spider_size')).toMatchObject({ value: '2K', defaultValue: '10M', source: 'file' });
    expect(row('key_refresh_interval')).toMatchObject({
      value: '90m',
      source: 'environment',
      origin: 'VIDIMUS__KEY_REFRESH_INTERVAL',
    });
    expect(row('previews.rate_limit.interval')).toMatchObject({ value: '1s', source: 'default' });
    expect(row('media.s3.endpoint')?.value).toBe('https://***@s3.test/a/');
    expect(rows).toHaveLength(listSettings().length);
  });

  it('is no secret, but whether there is one', async () => {
    const secret = 'hunter2-hunter2-hunter2';
    const loaded = await folder.load(`server_name: a.org
alerts: {webhook: {url: "https://hooks.test/${secret}", secret: ${secret}}}
database: {engine: postgresql, url: "postgresql://u:${secret}@h/d"}
media: {s3: {secret_access_key: ${secret}}}
previews: {proxy_url: "http://u:${secret}@proxy.test/", proxy_filters_addresses: true}
`);
    if (!loaded.ok) throw new Error('refused');
    const rows = viewSettings(loaded);

    const secrets = rows.filter(({ isSecret }) => isSecret);
    expect(secrets).toHaveLength(5);
    expect(secrets.every(({ value, isSet }) => value === null && isSet)).toBe(true);
    expect(JSON.stringify(rows)).not.toContain('hunter2');
    const unset = await folder.load('server_name: a.org');
    const isSet = unset.ok && viewSettings(unset).some((row) => row.isSecret && row.isSet);
    expect(isSet).toBe(false);
  });
});
