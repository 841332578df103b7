import { describe, expect, it } from 'vitest';

import { RuleRegistry, type RuleList } from '../../../../src/core/operators/blocking/rule-registry.js';
import type { UrlRule } from '../../../../src/core/preview/rules/url-rules.js';

/** The lists in the order of the service, those of keys without exceptions. */
function lists(urlRules: readonly UrlRule[]): RuleList[] {
  const list = (kind: RuleList['kind'], setting: string, entries: RuleList['entries']): RuleList => ({
    kind,
    setting,
    entries,
    originOf: (position) => (kind === 'url_pattern' ? `config.yaml:${10 + position}` : null),
  });
  return [
    list('url_pattern', 'url_preview_url_blacklist', urlRules),
    list('ip_deny', 'url_preview_ip_range_blacklist', ['10.0.0.0/8']),
    list('ip_deny', 'ip_range_blacklist', ['10.0.0.0/8']),
    list('federation_allow', 'federation_domain_whitelist', ['a.test']),
  ];
}

const A: UrlRule = { hostname: '*.a.test' };
const B: UrlRule = { path: '^/b', hostname: 'b.test' };

describe('the rule registry', () => {
  it('lists every entry with list, position, parts and origin; what is built in says so', () => {
    const registry = new RuleRegistry(lists([A, B]), []);

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

  it('finds by key and by what hits name, and forgets what is gone after a reload', () => {
    const registry = new RuleRegistry(lists([A]), []);
    const [rule] = registry.list('url_pattern');
    expect(registry.find(rule!.key)).toBe(rule);
    expect(registry.findByHit('url_preview_ip_range_blacklist: 10.0.0.0/8')).toMatchObject({
      kind: 'ip_deny',
    });

    registry.replace(lists([B]), []);
    expect(registry.findByHit(JSON.stringify(A))).toBeNull();
    expect(registry.list()[0]).toMatchObject({ parts: [{ pattern: 'b.test' }, { pattern: '^/b' }] });
  });
});
