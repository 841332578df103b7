import { describe, expect, it } from 'vitest';

import { RuleRegistry, type RuleSources } from '../../../../src/core/operators/blocking/rule-registry.js';
import type { UrlRule } from '../../../../src/core/preview/rules/url-pattern.js';

const NOTHING = { entries: [], originOf: () => null };

function sources(urlRules: readonly UrlRule[], change: Partial<RuleSources> = {}): RuleSources {
  return {
    urlRules: {
      setting: 'url_preview_url_blacklist',
      entries: urlRules,
      originOf: (position) => `config.yaml:${10 + position}`,
    },
    urlExceptions: { ...NOTHING, setting: 'url_preview_url_whitelist' },
    added: [],
    previewDeny: { ...NOTHING, setting: 'url_preview_ip_range_blacklist', entries: ['10.0.0.0/8'] },
    previewAllow: { ...NOTHING, setting: 'url_preview_ip_range_whitelist' },
    keyDeny: { ...NOTHING, setting: 'ip_range_blacklist', entries: ['10.0.0.0/8'] },
    keyAllow: { ...NOTHING, setting: 'ip_range_whitelist' },
    federation: { ...NOTHING, setting: 'federation_domain_whitelist', entries: ['a.test'] },
    ...change,
  };
}

const A: UrlRule = { hostname: '*.a.test' };
const B: UrlRule = { path: '^/b', hostname: 'b.test' };

describe('the rule registry', () => {
  it('lists every entry with list, position, parts and origin; what is built in says so', () => {
    const registry = new RuleRegistry(sources([A, B]));

    expect(registry.list('url_pattern')).toMatchObject([
      {
        setting: 'url_preview_url_blacklist',
        position: 0,
        origin: 'config.yaml:10',
        parts: [{ component: 'hostname', pattern: '*.a.test' }],
      },
      {
        position: 1,
        origin: 'config.yaml:11',
        parts: [
          { component: 'hostname', pattern: 'b.test' },
          { component: 'path', pattern: '^/b' },
        ],
      },
    ]);
    expect(
      registry.list('ip_deny').map(({ setting, origin, parts }) => [setting, origin, parts[0]!.pattern]),
    ).toEqual([
      ['url_preview_ip_range_blacklist', 'built in', '10.0.0.0/8'],
      ['ip_range_blacklist', 'built in', '10.0.0.0/8'],
      ['built in', 'built in', '0.0.0.0'],
      ['built in', 'built in', '::'],
    ]);
    expect(registry.list('federation_allow')).toMatchObject([{ parts: [{ pattern: 'a.test' }] }]);
    expect(registry.list()).toHaveLength(7);
  });

  it('keys stay when entries come, go and move, and differ among lists', () => {
    const before = new RuleRegistry(sources([A, B]));
    const after = new RuleRegistry(sources([{ port: '99' }, B, A]));
    const keyOf = (registry: RuleRegistry, component: string) =>
      registry
        .list('url_pattern')
        .find(({ parts }) => parts.some((part) => part.pattern.includes(component)))!.key;

    expect(keyOf(after, 'a.test')).toBe(keyOf(before, 'a.test'));
    expect(keyOf(after, 'b.test')).toBe(keyOf(before, 'b.test'));
    expect(new Set(after.list().map(({ key }) => key)).size).toBe(after.list().length);
  });

  it('the same entry twice has two keys, and the first one refuses', () => {
    const registry = new RuleRegistry(sources([A, A]));
    const [first, second] = registry.list('url_pattern');

    expect(second!.key).not.toBe(first!.key);
    expect(registry.findByHit(JSON.stringify(A))).toBe(first);
  });

  it('finds by key and by what hits name, and forgets what is gone after a reload', () => {
    const registry = new RuleRegistry(sources([A]));
    const [rule] = registry.list('url_pattern');
    expect(registry.find(rule!.key)).toBe(rule);
    expect(registry.findByHit('url_preview_ip_range_blacklist: 10.0.0.0/8')).toMatchObject({
      kind: 'ip_deny',
    });

    registry.replace(sources([B]));
    expect(registry.find(rule!.key)).toBeNull();
    expect(registry.findByHit(JSON.stringify(A))).toBeNull();
    expect(registry.urlRule(0)).toMatchObject({ parts: [{ pattern: 'b.test' }, { pattern: '^/b' }] });
  });
});
