import {
  choice,
  count,
  duration,
  flag,
  list,
  path,
  size,
  text,
  kindOf,
  objectTo,
} from '../kinds/value-kinds.js';
import { addressRange, baseUrl } from '../kinds/network-kinds.js';
import { group, optional, setting } from '../kinds/setting.js';
import { DEFAULT_IP_RANGE_BLACKLIST } from '../../core/net/address/address-policy.js';
import { z } from 'zod';
import { compileUrlPattern, URL_COMPONENTS } from '../../core/preview/rules/url-rules.js';

const PATTERN_FORM = 'a shell pattern, or a regular expression that begins with ^ (RE2 syntax)';

const pattern = z.union([z.string(), z.int()], { error: PATTERN_FORM }).transform((written, context) => {
  const source = String(written);
  if (source.length > 2000) return objectTo(context, PATTERN_FORM, 'is longer than 2000 characters');
  try {
    compileUrlPattern(source);
    return source;
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace('error parsing regexp: ', '') : String(error);
    return objectTo(context, PATTERN_FORM, `is not a usable pattern (${reason})`);
  }
});

const RULE_FORM = `a map from ${URL_COMPONENTS.join(', ')} to patterns`;

const rule = z
  .strictObject(
    {
      scheme: pattern.optional(),
      netloc: pattern.optional(),
      hostname: pattern.optional(),
      port: pattern.optional(),
      path: pattern.optional(),
      query: pattern.optional(),
      fragment: pattern.optional(),
      username: pattern.optional(),
      password: pattern.optional(),
    },
    { error: RULE_FORM },
  )
  .superRefine((value, context) => {
    if (context.issues.length > 0 || Object.keys(value).length > 0) return;
    objectTo(context, RULE_FORM, 'names no component and would match every address');
  });

/** URL rules, SPEC §2.4: every named component of one entry must match; entries are alternatives. */
const urlRules = () =>
  kindOf(z.array(rule, { error: `a list, each entry ${RULE_FORM}` }), `a list, each entry ${RULE_FORM}`);

const language = text('a language range such as en, de-AT or en;q=0.5', /^[A-Za-z0-9*;=.,\- ]{1,100}$/);

export const PREVIEW_SETTINGS = {
  url_preview_enabled: setting(flag(), { default: true, doc: 'Serve previews' }),
  url_preview_url_blacklist: setting(urlRules(), {
    default: [],
    live: true,
    doc: 'URLs never previewed, including redirects, images and oEmbed; path: / also matches http://host',
  }),
  url_preview_url_whitelist: setting(urlRules(), {
    default: [],
    live: true,
    doc: 'Exceptions from url_preview_url_blacklist; one must match the URL as written and as fetched',
  }),
  url_preview_ip_range_blacklist: setting(list(addressRange()), {
    default: [...DEFAULT_IP_RANGE_BLACKLIST],
    live: true,
    doc: 'Addresses never contacted for previews',
  }),
  url_preview_ip_range_whitelist: setting(list(addressRange()), {
    default: [],
    live: true,
    doc: 'Exceptions from url_preview_ip_range_blacklist',
  }),
  url_preview_accept_language: setting(list(language, 20), {
    default: ['en'],
    doc: 'Requested languages, one Accept-Language line each',
  }),
  max_spider_size: setting(size({ min: '1K', max: '1G' }), {
    default: '10M',
    doc: 'Largest page or image, counted after decompression',
  }),
  oembed: group('oEmbed providers', {
    disable_default_providers: setting(flag(), {
      default: false,
      doc: 'Do not use the built-in list of providers',
    }),
    additional_providers: setting(list(path('a file in the format of oembed.com/providers.json')), {
      default: [],
      doc: 'More providers',
    }),
  }),
  previews: group('How previews are created and stored', {
    extraction: setting(choice(['standard', 'enhanced']), {
      default: 'enhanced',
      doc: 'standard reads pages exactly as Synapse does; enhanced finds more in the same answer format',
    }),
    dns_timeout: setting(duration({ min: '100ms', max: '1m' }), {
      default: '5s',
      doc: 'Time to resolve a name',
    }),
    fetch_timeout: setting(duration({ min: '100ms', max: '5m' }), {
      default: '20s',
      doc: 'Time for one whole download, redirects included',
    }),
    preview_timeout: setting(duration({ min: '100ms', max: '10m' }), {
      default: '30s',
      doc: 'Time for one whole preview; an image that comes later is left out',
    }),
    max_concurrent: setting(count(1, 1000), {
      default: 32,
      doc: 'Maximum number of concurrent downloads, half of them for one user',
    }),
    max_queued: setting(count(0, 100_000), {
      default: 500,
      doc: 'Previews that may wait for a download or for memory; beyond it, the user with the most loses the newest (503)',
    }),
    max_body_memory: setting(size({ min: '1M', max: '16G' }), {
      default: '64M',
      doc: 'Memory for downloads in progress; beyond it, users with a download in progress start no other',
    }),
    memory_cache_size: setting(size({ min: '1M', max: '16G' }), {
      default: '32M',
      doc: 'Memory for previews of the last hour',
    }),
    media_retention: setting(duration({ min: '26h' }), {
      default: '2d',
      doc: 'Age at which media of previews is deleted; must exceed 25h, the longest time for which a preview uses it',
    }),
    proxy_url: optional(baseUrl('http', 'https'), {
      doc: 'HTTP proxy for previews',
      example: 'http://proxy.example.org:3128/',
      secret: true,
    }),
    proxy_filters_addresses: setting(flag(), {
      default: false,
      doc: 'Confirms that the proxy refuses private addresses, which we cannot see behind a proxy',
    }),
    rate_limit: group('Previews per user', {
      burst: setting(count(0, 100_000), {
        default: 0,
        live: true,
        doc: 'Previews that a user may request in a burst. 0: no limit',
      }),
      interval: setting(duration({ max: '1h' }), {
        default: '1s',
        live: true,
        doc: 'Time after which one more is allowed',
      }),
    }),
  }),
};
