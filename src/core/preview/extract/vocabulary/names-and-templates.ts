import { patterns } from './vocabulary.js';

/** Words before an author's name. */
export const BYLINE_WORDS = patterns(
  {
    '(?:written |posted )?by': 'By A B',
    von: 'Von A B',
    par: 'Par A B',
    por: 'Por A B',
    di: 'Di A B',
    door: 'Door A B',
    av: 'Av A B',
    af: 'Af A B',
  },
  (words) => String.raw`^(?:${words})(?:\s+|:\s*|$)`,
);

/** What sites write around an author's name, and no name holds. */
export const AUTHOR_JUNK = patterns(
  {
    follow: 'Follow the author',
    'subscribe(?: to)?': 'Subscribe to Jane',
    'view (?:all|more|profile)': 'View profile',
    'more (?:by|from|about)': 'More from Jane',
    'about the authors?': 'About the author',
    'all (?:posts|articles|stories)': 'All articles by Jane',
    'share this': 'Share this article',
    'sign up': 'Sign up for alerts',
    'log in': 'Log in to comment',
    'read more': 'Read more',
    'min(?:ute)? read': 'Five minute read',
    comments: 'Comments',
    'related articles?': 'Related articles',
  },
  (words) => String.raw`(?<!\p{L})(?:${words})(?!\p{L})`,
);

/** What programs write for nothing. */
export const EMPTY_VALUES = patterns(
  {
    undefined: 'undefined',
    null: 'null',
    none: 'None',
    nan: 'NaN',
    '\\[object Object\\]': '[object Object]',
    'n/a': 'N/A',
    '[-_.]': '-',
  },
  (words) => `^(?:${words})$`,
);

/** What templates leave behind when nobody filled them in. */
export const TEMPLATE_MARKS = patterns(
  {
    '\\{\\{[^{}]{0,100}\\}\\}': '{{ title }}',
    '\\{%[^%]{0,100}%\\}': '{% title %}',
    '<%[^%]{0,100}%>': '<%= title %>',
    '\\$\\{[^{}]{0,100}\\}': '${page.title + 1}',
    '\\{[A-Za-z][\\w.:-]{0,40}\\}': '{site_name}',
    '%%?[A-Za-z][\\w.-]{1,40}%%?': '%TITLE%',
    '\\[\\[[^\\]\\[]{1,100}\\]\\]': '[[title]]',
    '\\$\\$[^$]{1,100}\\$\\$': '$$title$$',
    '__[A-Z][A-Z_]{1,40}__': '__TITLE__',
  },
  (marks) => marks,
);

/** Words that tie the name of an author or a site to a title. */
export const NAME_TIES = patterns(
  {
    by: 'The film by Jane Doe',
    from: 'The film from Films',
    on: 'The film on Films',
    via: 'The film via Films',
    at: 'The film at Films',
    in: 'The film in Films',
    von: 'Der Film von Jane Doe',
    auf: 'Der Film auf Films',
    par: 'Le film par Jane Doe',
    sur: 'Le film sur Films',
    de: 'La película de Jane Doe',
    por: 'La película por Jane Doe',
    en: 'La película en Films',
  },
  (words) => String.raw`(?<![\p{L}\p{N}])(?:${words})(?![\p{L}\p{N}])`,
);

/** Words of texts that are about markup, in which a tag may be mentioned. */
export const MARKUP_WORDS = patterns(
  {
    html: 'The <br> HTML way',
    xml: 'Escapes of XML',
    css: 'Boxes in CSS',
    jsx: 'A <br> in JSX',
    'tags?': 'The <p> tag',
    'elements?': 'The Line Break element',
    'attributes?': 'Attributes of <a>',
    markup: 'Markup for a break',
  },
  (words) => String.raw`\b(?:${words})\b`,
);
