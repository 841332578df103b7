import { isText, Element, type ChildNode, Text } from 'domhandler';

import { ImageCollector, type ImageTag } from '../images/body-images.js';
import { type TextBlock, TextBlocks } from '../text/text-blocks.js';
import { type ElementContext, isBlock, PAGE_CONTEXT, contextInside } from './elements.js';

/** Enough to tell a page from an interstitial. */
const MAX_TEXT_LENGTH = 10_000;
/** Elements that do not lay out a body. */
const NO_LAYOUT = new Set('html head body noframes'.split(' '));

/** What a walk over a page finds in it, in document order. */
export interface PageBody {
  readonly blocks: readonly TextBlock[];
  readonly images: readonly ImageTag[];
  /** Characters of visible text, roughly; not counted beyond 10,000. */
  readonly textLength: number;
}

/** Reads text and images of a page, those that `enhanced` chooses from. */
export function readBody(root: Element): PageBody {
  const blocks = new TextBlocks();
  const images = new ImageCollector();
  let textLength = 0;
  // Until a tag lays the body out, its line breaks do.
  let isPlainText = true;
  let isHeadingPassed = false;
  walk(root, {
    enter: (element, context) => {
      const { name } = element;
      if (isBlock(name)) blocks.end();
      if (name === 'br') blocks.breakLine();
      if (name === 'br' || (isBlock(name) && !NO_LAYOUT.has(name))) isPlainText = false;
      if (name === 'h1' && !isHeadingPassed) {
        isHeadingPassed = true;
        blocks.passHeading();
      }
      images.add(element, context);
    },
    text: ({ data }, context) => {
      if (context.isNodeText && textLength < MAX_TEXT_LENGTH) textLength += data.trim().length;
      blocks.add(data, context, context.hasLines || isPlainText);
    },
    leave: ({ name }) => {
      if (isBlock(name)) blocks.end();
    },
  });
  blocks.end();
  return { blocks: blocks.done, images: images.images, textLength };
}

/** What is done at each node, with what stands around it. */
export interface Visitor {
  enter(element: Element, context: ElementContext): void;
  text(text: Text, context: ElementContext): void;
  leave(element: Element): void;
}

/** Visits the elements and texts of a page in document order. */
export function walk(root: Element, visitor: Visitor): void {
  const contexts: ElementContext[] = [PAGE_CONTEXT];
  let node: ChildNode | null = root.firstChild;
  while (node !== null) {
    const context: ElementContext = contexts.at(-1) ?? PAGE_CONTEXT;
    if ('attribs' in node) {
      visitor.enter(node, context);
      if (node.firstChild !== null) {
        contexts.push(contextInside(context, node));
        node = node.firstChild;
        continue;
      }
      visitor.leave(node);
    } else if (isText(node)) {
      visitor.text(node, context);
    }
    while (node !== null && node.next === null) {
      const { parent }: ChildNode = node;
      node = parent !== null && 'attribs' in parent ? parent : null;
      if (node === null) break;
      contexts.pop();
      visitor.leave(node);
    }
    node = node === null ? null : node.next;
  }
}

/** More than a summary ever reads: of one text, and of all. */
const MAX_NODE_LENGTH = 2_000;
const MAX_NODES_LENGTH = 1_000;

/** Texts of a page outside of menus and the like, each by itself as `standard` reads them, as many as a summary can use. */
export function textNodes(root: Element): string[] {
  const texts: string[] = [];
  let length = 0;
  walk(root, {
    enter: () => {},
    text: ({ data, parent }, { isNodeText }) => {
      const isTitle = parent !== null && 'name' in parent && parent.name === 'title';
      if (!isNodeText || isTitle || length >= MAX_NODES_LENGTH) return;
      const text = data.slice(0, MAX_NODE_LENGTH).replaceAll(/\s+/g, ' ').trim();
      length += text.length;
      if (text !== '') texts.push(text);
    },
    leave: () => {},
  });
  return texts;
}
