import { patterns } from './vocabulary.js';

/** What `og:type` calls pages that somebody wrote. */
export const ARTICLE_TYPES = patterns(
  {
    article: 'article',
    'news(?:[_.]?article)?': 'news.article',
    'blog(?:[_.]?post)?': 'blog',
    story: 'story',
    book: 'book',
    'video\\.\\w{1,20}': 'video.episode',
  },
  (words) => `^(?:${words})$`,
);

/** Keys of tags that only such pages have. */
export const ARTICLE_TAGS = patterns(
  {
    'article:(?:published_time|author|section|tag)': 'article:section',
    'og:published_time': 'og:published_time',
    citation_: 'citation_title',
    'parsely-(?:author|pub-date)': 'parsely-author',
    'sailthru\\.(?:author|date)': 'sailthru.date',
    byl$: 'byl',
    'dc(?:terms?)?[.:](?:creator|date|issued|created)': 'dcterms.created',
    'pub(?:lish)?-?date$': 'pubdate',
    ptime$: 'ptime',
  },
  (keys) => `^(?:${keys})`,
);
