import type { Element } from 'domhandler';

import { walk } from '../dom/read-body.js';

/** More than a summary ever reads: of one text, and of all. */
const MAX_NODE_LENGTH = 2_000;
const MAX_LENGTH = 1_000;
const BLANKS = /\s+/g;

/** Texts of a page outside of menus and the like, each by itself as `standard` reads them, as many as a summary can use. */
export function textNodes(root: Element): string[] {
  const texts: string[] = [];
  let length = 0;
  walk(root, {
    enter: () => {},
    text: ({ data, parent }, { isNodeText }) => {
      const isTitle = parent !== null && 'name' in parent && parent.name === 'title';
      if (!isNodeText || isTitle || length >= MAX_LENGTH) return;
      const text = data.slice(0, MAX_NODE_LENGTH).replaceAll(BLANKS, ' ').trim();
      length += text.length;
      if (text !== '') texts.push(text);
    },
    leave: () => {},
  });
  return texts;
}
