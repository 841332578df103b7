/**
 * Providers asked instead of the page, in the public registry format: only those whose own pages tell a crawler
 * nothing, because an oEmbed answer replaces the page and carries no description of its own (SPEC §4.7.4).
 */
export const DEFAULT_OEMBED_PROVIDERS = [
  {
    provider_name: 'X',
    provider_url: 'https://x.com/',
    endpoints: [
      {
        schemes: ['https://x.com/*/status/*', 'https://*.x.com/*/status/*'],
        url: 'https://publish.x.com/oembed',
      },
    ],
  },
  {
    provider_name: 'Twitter',
    provider_url: 'https://twitter.com/',
    endpoints: [
      {
        schemes: [
          'https://twitter.com/*/status/*',
          'https://*.twitter.com/*/status/*',
          'https://twitter.com/*/moments/*',
          'https://*.twitter.com/*/moments/*',
        ],
        url: 'https://publish.twitter.com/oembed',
      },
    ],
  },
  {
    provider_name: 'YouTube Shorts',
    provider_url: 'https://www.youtube.com/',
    endpoints: [
      {
        schemes: ['https://youtube.com/shorts/*', 'https://*.youtube.com/shorts/*'],
        url: 'https://www.youtube.com/oembed',
      },
    ],
  },
] as const;
