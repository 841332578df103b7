import type { SourceValues } from './source-values.js';
import { ARTICLE_TAGS, ARTICLE_TYPES } from './vocabulary/article-signs.js';

/** Microdata of articles and of nothing else. */
const ARTICLE_ITEMS = ['headline', 'articleBody'];

/**
 * Can a name on a page be that of its author? On an article it can; on a page that calls itself something else, is
 * about a thing, shows the beginnings of several articles or is the front of a site it is that of somebody else.
 */
export function mayHaveAuthor(values: SourceValues, { pathname, search }: URL): boolean {
  const { page, linked, metas } = values;
  const types = (metas.get('og:type') ?? []).map((type) => type.trim()).filter((type) => type !== '');
  if (types.some((type) => ARTICLE_TYPES.has(type)) || linked.kind === 'article') return true;
  if ([...metas.keys()].some((key) => ARTICLE_TAGS.has(key))) return true;
  if (ARTICLE_ITEMS.some((path) => page.items(path).length > 0)) return true;
  if (pathname === '/' && search === '') return false;
  if (page.articles > 0) return page.articles === 1 || page.isHeadingInArticle;
  return types.length === 0 && linked.kind !== 'other';
}
