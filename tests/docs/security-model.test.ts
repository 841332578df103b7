import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { parseConfig } from '../../src/config/parse-config.js';
import { createMetrics } from '../../src/core/base/metrics.js';
import { isRecord } from '../../src/core/base/json/is-record.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TEXT = readFileSync(join(ROOT, 'docs/SECURITY-MODEL.md'), 'utf8');
const QUOTED = [...TEXT.matchAll(/`([^`\n]+)`/g)].map(([, quoted = '']) => quoted);

/** Dotted names of all settings. */
function settingNames(value: unknown, path: string[] = []): string[] {
  const own = path.length === 0 ? [] : [path.join('.')];
  if (!isRecord(value)) return own;
  return [...own, ...Object.entries(value).flatMap(([name, inner]) => settingNames(inner, [...path, name]))];
}

describe('docs/SECURITY-MODEL.md', () => {
  it('names files that exist', () => {
    const files = QUOTED.filter((quoted) => quoted.includes('/') && quoted.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(80);
    const isThere = (file: string): boolean => {
      const folder = file.endsWith('.test.ts') && !file.startsWith('tests/') ? 'tests' : 'src';
      return existsSync(join(ROOT, file.startsWith('tests/') ? '' : folder, file));
    };
    expect(files.filter((file) => !isThere(file))).toEqual([]);
  });

  it('names settings and metrics that exist', async () => {
    const parsed = parseConfig({ server_name: 'a.example' });
    const settings = new Set(parsed.ok ? settingNames(parsed.config) : []);
    const metrics = createMetrics('0');
    metrics.observeKeyCache(() => ({ bytes: 0, servers: 0 }));
    metrics.observeDnsLookups(() => ({ running: 0, waiting: 0 }));
    metrics.observeKeyFetches(() => ({ running: 0, waiting: 0 }));
    metrics.observeTokens(() => ({ running: 0, waiting: 0 }));
    metrics.observeLog(() => ({ entries: 0, mergeDelayMs: 0, cachedBytes: 0 }));
    metrics.observeOutbox(async () => 0);
    const largeAnswers = { running: 0, waiting: 0 };
    metrics.observeClients(() => ({ connections: 0, unsentBytes: 0, largeAnswers }));
    const shown = await metrics.registry.metrics();
    const names = QUOTED.filter((quoted) => /^[a-z_.]+$/.test(quoted) && /[._]/.test(quoted));
    expect(names.length).toBeGreaterThan(40);
    const isThere = (name: string): boolean =>
      name.startsWith('vidimus_') ? shown.includes(`# TYPE ${name} `) : settings.has(name);
    expect(names.filter((name) => !isThere(name))).toEqual([]);
  });
});
