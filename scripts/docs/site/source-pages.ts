import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** A text that becomes a page. */
export interface SourcePage {
  /** In the repository, such as `docs/API.md`. */
  source: string;
  /** In the site, such as `API.html`. */
  target: string;
  text: string;
}

/** Beside what lies in docs/. */
const ROOT_TEXTS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];

/** Every text that becomes a page: all below docs/, and those of the root. */
export function sourcePages(root: string): SourcePage[] {
  const below = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .toSorted();
  return [...below, ...ROOT_TEXTS].map((source) => ({
    source,
    target: targetOf(source),
    text: readFileSync(join(root, source), 'utf8'),
  }));
}

function targetOf(source: string): string {
  const path = source.startsWith('docs/') ? source.slice('docs/'.length) : source.replace('README', 'about');
  return path.replace(/(^|\/)README\.md$/, '$1index.md').replace(/\.md$/, '.html');
}

/** Where links of the texts lead to, in the site. */
export class Links {
  readonly #pages: ReadonlyMap<string, string>;
  /** Files of the repository that the site needs, by their places in it. */
  readonly files = new Map<string, string>();

  constructor(
    private readonly root: string,
    pages: readonly SourcePage[],
  ) {
    this.#pages = new Map(pages.map(({ source, target }) => [source, target]));
  }

  /**
   * The address for the page, `null` for a folder without a page, which becomes plain text. Throws for what is not
   * there. A file that is no page is copied, under a name that every browser shows.
   */
  resolve(page: SourcePage, href: string): string | null {
    if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
    const [path = '', anchor] = href.split('#', 2);
    const source = posix.join(dirname(page.source), path).replace(/\/$/, '');
    const target = this.#pages.get(source) ?? this.#pages.get(`${source}/README.md`) ?? this.#file(source, page);
    if (target === null) return null;
    const relative = posix.relative(dirname(page.target), target);
    return anchor === undefined ? relative : `${relative}#${anchor}`;
  }

  #file(source: string, page: SourcePage): string | null {
    const path = join(this.root, source);
    if (!existsSync(path)) throw new Error(`${page.source} links ${source}, which is not there`);
    if (statSync(path).isDirectory()) return null;
    const target = `files/${source}${/\.(?:png|svg|json)$/.test(source) ? '' : '.txt'}`;
    this.files.set(target, source);
    return target;
  }
}
