import { isText, type ChildNode, type Element, type Text } from 'domhandler';

import { ImageCollector, type ImageTag } from '../images/collect-images.js';
import { TextBlocks, type TextBlock } from '../text/text-blocks.js';
import { PAGE_CONTEXT, contextInside, type ElementContext } from './element-context.js';
import { isBlock } from './elements.js';

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
