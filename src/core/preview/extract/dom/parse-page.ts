import { load } from 'cheerio/slim';
import type { Element } from 'domhandler';

import { BoundedParser } from './bounded-parser.js';
import { Page } from './page.js';
import { PageTree } from './page-tree.js';

/** Characters of a page that are read; heads end within the first million. */
const MAX_LENGTH = 4_194_304;

export interface ParseOptions {
  /** What headers say in the place of tags; stands behind the page's own. */
  readonly headers?: readonly Element[];
  /** XHTML served as such, where CDATA is text. */
  readonly isXml: boolean;
  /** Asked between pieces once the head is over: need no more of the body be read? */
  readonly isEnough: (metas: readonly Element[], bodyLength: number) => boolean;
}

/** Parses a page from pieces of its text, in time and memory bounded whatever the page. */
export function parsePage(pieces: Iterable<string>, options: ParseOptions): Page {
  const tree = new PageTree();
  const parser = new BoundedParser(tree, options);
  let length = 0;
  let bodyLength = 0;
  for (const piece of pieces) {
    // Browsers drop NUL from text; a database may refuse to keep it.
    parser.write(piece.includes('\0') ? piece.replaceAll('\0', '') : piece);
    length += piece.length;
    if (parser.isStopped || length > MAX_LENGTH) break;
    if (tree.isInBody) {
      bodyLength += piece.length;
      if (options.isEnough(tree.metas, bodyLength)) break;
    }
  }
  parser.end();
  for (const element of options.headers ?? []) tree.addBehind(element);
  return new Page(load(tree.root, { xml: { xmlMode: false } }), tree.page, tree.elements);
}
