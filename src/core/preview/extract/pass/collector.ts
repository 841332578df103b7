import { decodeHTML } from 'entities';
import { emptyCandidates, type Candidates } from './candidates.js';
import { CaptureList } from './capture-list.js';
import { PAGE_ATTRIBUTES, collectTag } from './collect-tags.js';
import { IMAGE_TAGS } from './images/collect-images.js';
import {
  PAGE_CONTEXT,
  isBlock,
  isSkipped,
  itemPath,
  contextInside,
  type ElementContext,
} from './text/element-context.js';
import { OpenElements, isVoidElement } from './open-elements.js';
import type { Attributes, TagHandler } from './tag-reader.js';
import { TextCollector } from './text/text-collector.js';
import { guardOf } from '../interstitials/interstitial-marks.js';

const IN_HEAD = new Set(
  'head html base basefont bgsound link meta title noscript noframes style script template'.split(' '),
);
/** What XHTML pages write as `<iframe/>`; browsers find the rest of the page inside. */
const EMPTY = new Set('a audio button canvas iframe label nav noscript object select video'.split(' '));
const HEADINGS = new Set(['title', 'h1', 'h2', 'h3']);
const MAX_HEADING_TEXT = 20_000;
const MAX_LD_BLOCKS = 20;
const MAX_LD_LENGTH = 524_288;
const MAX_AUTHORS = 5;
/** Enough to tell a page from an interstitial. */
const MAX_TEXT_LENGTH = 10_000;
const BYLINE_HINT = /byline|author|autor|auteur/i;

/** Turns the tags and texts of one page, in document order, into candidates. */
export class Collector implements TagHandler {
  readonly attributeNames = PAGE_ATTRIBUTES;
  readonly tagsReadWhole = IMAGE_TAGS;
  readonly found: Candidates = emptyCandidates();
  private readonly bodyText: TextCollector;
  private readonly captures = new CaptureList(this.found);
  private readonly open = new OpenElements<ElementContext>((depth) => this.captures.closeAt(depth));
  private readonly headingsSeen = new Set<string>();
  private inBody = false;
  /** No tag has laid the body out yet, so its line breaks do. */
  private isPlainText = true;
  private context: ElementContext = PAGE_CONTEXT;
  private headingText = '';
  /** A skipped element nested too deep to be followed. */
  private unfollowed: string | null = null;

  constructor(private readonly mode: 'standard' | 'enhanced') {
    this.bodyText = new TextCollector(this.found, mode);
  }

  /** True once the head is over; what matters most on a well-kept page has been seen then. */
  get isInBody(): boolean {
    return this.inBody;
  }

  openTag(name: string, attributes: Attributes): void {
    this.boundary(name);
    this.found.isEmpty = false;
    if (name === 'br') this.bodyText.lineBreak();
    if (name === 'br' || (isBlock(name) && !IN_HEAD.has(name) && name !== 'body')) this.isPlainText = false;
    if (!this.inBody) this.enterBodyBefore(name);
    this.open.closeImplied(name);
    this.context = this.open.innermost?.note ?? PAGE_CONTEXT;
    if (attributes.size > 0) collectTag(this.found, { name, attributes }, this.context);
    if (isVoidElement(name)) {
      this.captures.keepVoid(itemPath(this.context.item, attributes.get('itemprop')), name, attributes);
      return;
    }
    this.pushElement(name, attributes);
  }

  endsAtSlash(name: string): boolean {
    return this.mode === 'enhanced' && EMPTY.has(name);
  }

  closeTag(name: string): void {
    this.boundary(name);
    if (this.unfollowed === name) this.unfollowed = null;
    if (name !== 'body' && name !== 'html') this.open.close(name);
    this.context = this.open.innermost?.note ?? PAGE_CONTEXT;
  }

  text(data: string): void {
    const inside = this.open.innermost?.name;
    this.captures.add(data, inside);
    if (inside === 'script' || inside === 'style') {
      if (inside === 'script') this.markGuard(data);
      return;
    }
    if (
      this.context.isFirstHeading &&
      this.headingText.length < MAX_HEADING_TEXT &&
      this.found.firstHeadingText === null
    )
      this.headingText += data;
    if (!this.inBody) {
      const isInHead = inside !== undefined && inside !== 'html' && inside !== 'head';
      if (isInHead || data.trim() === '') return;
      this.found.isEmpty = false;
      this.inBody = true;
    }
    if (this.unfollowed !== null) return;
    if (this.context.isNodeText && this.found.textLength < MAX_TEXT_LENGTH)
      this.found.textLength += data.trim().length;
    this.bodyText.add(data, this.context, this.context.hasLines || this.isPlainText);
  }

  comment(): void {
    this.endHeadingText();
    this.bodyText.boundary(false);
  }

  /** Ends what the page left open. */
  end(): void {
    this.endHeadingText();
    this.bodyText.boundary(true);
    this.captures.endUnclosed();
    this.open.closeAll();
  }

  /** A page whose tags describe it needs no blocks of its body. */
  skipBlocks(): void {
    this.bodyText.skipBlocks();
  }

  private boundary(tag: string): void {
    if (this.headingText !== '') this.endHeadingText();
    this.bodyText.boundary(isBlock(tag));
  }

  private endHeadingText(): void {
    if (this.headingText !== '') this.found.firstHeadingText ??= decodeHTML(this.headingText);
    this.headingText = '';
  }

  /** A page with tags of its own is no interstitial whatever its scripts. */
  private markGuard(script: string): void {
    const { metaKeys, marks } = this.found;
    if (metaKeys.has('og:title') && (metaKeys.has('og:description') || metaKeys.has('og:image'))) return;
    const guard = guardOf(script);
    if (guard !== null) marks.add(guard);
  }

  private enterBodyBefore(name: string): void {
    const isBody = name === 'body';
    if (!isBody && (IN_HEAD.has(name) || this.open.isOpen('noscript') || this.open.isOpen('template')))
      return;
    this.open.close('head');
    this.inBody = true;
  }

  private pushElement(name: string, attributes: Attributes): void {
    const above = this.context;
    const isFirstHeading = HEADINGS.has(name) && !this.headingsSeen.has(name);
    if (isFirstHeading) this.headingsSeen.add(name);
    if (isFirstHeading && name === 'h1') this.passHeading();
    if (name === 'article' && !this.open.isOpen(name)) this.found.articles += 1;
    const context = contextInside(above, {
      name,
      attributes,
      readsHints: this.bodyText.wantsBlocks,
    });
    const isFollowed = this.open.push(name, isFirstHeading ? { ...context, isFirstHeading } : context);
    if (isFollowed) this.startCaptures(name, attributes, above);
    else if (isSkipped(name)) this.unfollowed ??= name;
    this.context = this.open.innermost?.note ?? PAGE_CONTEXT;
  }

  private passHeading(): void {
    this.bodyText.passHeading();
    this.found.isHeadingInArticle = this.open.isOpen('article');
  }

  private startCaptures(name: string, attributes: Attributes, above: ElementContext): void {
    const depth = this.open.depth - 1;
    const { captures, found } = this;
    if (HEADINGS.has(name)) {
      captures.startHeading(name === 'title' && this.open.isOpen('svg') ? 'svg title' : name, depth);
    } else if (name === 'script') {
      if (isJsonLd(attributes) && found.jsonLd.length < MAX_LD_BLOCKS)
        captures.startScript(depth, MAX_LD_LENGTH, (text) => found.jsonLd.push(text));
      return;
    }
    if (attributes.size === 0) return;
    const property = attributes.get('itemprop');
    if (property !== undefined)
      captures.startItem({ depth, path: itemPath(above.item, property), name, attributes });
    if (attributes.get('rel')?.toLowerCase() === 'author' && found.authors.length < MAX_AUTHORS)
      captures.start(depth, 200, (text) => found.authors.push(text));
    else if (found.bylines.length < MAX_AUTHORS && BYLINE_HINT.test(attributes.get('class') ?? ''))
      captures.start(depth, 300, (text) => found.bylines.push(text));
  }
}

function isJsonLd(attributes: Attributes): boolean {
  return attributes.get('type')?.trim().toLowerCase().startsWith('application/ld+json') ?? false;
}
