import { isUtf8 } from 'node:buffer';

import { decodeHTML } from 'entities';

import { isRecord } from '../../base/json/is-record.js';
import type { Client } from '../../base/fair-queue.js';
import { isWeb, parseUrl } from '../../base/text/url.js';
import { DAY_MS, SECOND_MS } from '../../base/clock.js';
import { textNodes } from '../extract/body.js';
import { parsePage } from '../extract/parser.js';
import { summarizeText, visibleText, type OpenGraph } from '../extract/values.js';

export interface OembedData {
  /** Empty when the answer could not be used; else it holds `og:url` at least. */
  openGraph: OpenGraph;
  /** For the title fallback of SPEC §4.7.11. */
  authorName: string | null;
  /** Validity that the answer asks for, 0 to 1 day; null when it names none. */
  cacheAgeMs: number | null;
}

export interface OembedContext {
  url: string;
  /** Relative addresses in the answer are resolved against this one. */
  baseUrl: string;
  /** `standard` takes each text node of the embedded HTML as a paragraph, `enhanced` each block. */
  extraction: 'standard' | 'enhanced';
}

/** How an answer is converted: in this thread, or by asking another one, where the client's next one is read. */
export type ConvertOembed = (
  body: Buffer,
  context: OembedContext & { client: Client; signal: AbortSignal },
) => Promise<OembedData>;

const MAX_SIZE = 1_000_000;
/** Of longer texts the rest is not looked at; what is left is too long for a preview all the same (SPEC §4.7.12). */
const MAX_TEXT_LENGTH = 65_536;
const LETTERS_OF_TIES = 10;
const MAX_HTML_LENGTH = 32_768;

/**
 * Converts the body of an oEmbed answer (oEmbed §2.3) to Open Graph; SPEC §4.7.7. Members of the wrong type are
 * ignored; what is not an oEmbed document gives an empty result.
 */
export function convertOembed(body: Buffer, context: OembedContext): OembedData {
  const document = parseOembed(body);
  if (document === null) return { openGraph: new Map(), authorName: null, cacheAgeMs: null };
  const { type, url, title, thumbnail_url: thumbnail, width, height } = document;
  const isVideo = type === 'video';
  const embed = isVideo || type === 'rich' ? readEmbed(document, context) : {};
  const images = [type === 'photo' ? url : null, thumbnail, embed.image];
  const values = [
    ['og:url', context.url],
    ['og:title', textOf(title)],
    ['og:site_name', textOf(document['provider_name'])],
    ['og:image', images.map((each) => imageOf(each, context)).find((each) => each !== null) ?? null],
    ['og:type', isVideo ? 'video.other' : type === 'link' ? 'website' : null],
    ['og:video', addressOf(embed.video, context)],
    ['og:description', embed.text ?? null],
    ['og:video:width', isVideo ? sizeOf(width) : null],
    ['og:video:height', isVideo ? sizeOf(height) : null],
  ] as const;
  return {
    openGraph: new Map<string, string | number | null>(values.filter(([, value]) => value !== null)),
    authorName: textOf(document['author_name']),
    cacheAgeMs: cacheAge(document['cache_age']),
  };
}

interface Embed {
  image?: string | undefined;
  video?: string | undefined;
  text?: string | null;
}

/** What lies beyond 32 kB of the HTML is not looked at. */
function readEmbed(document: OembedDocument, { extraction }: OembedContext): Embed {
  const { html, title, author_name: author, provider_name: provider } = document;
  if (typeof html !== 'string' || html === '') return {};
  const page = parsePage([html.slice(0, MAX_HTML_LENGTH)]);
  const sourceOf = (selector: string): string | undefined => page.$(selector).first().attr('src');
  const isStandard = extraction === 'standard';
  const text = summarizeText(isStandard ? textNodes(page.root) : page.body.blocks.map((block) => block.text));
  const known = [title, author, provider].filter((each) => typeof each === 'string');
  return {
    image: sourceOf('img[src]'),
    video: sourceOf('video[src]') ?? sourceOf('embed[src]'),
    text: text !== null && (isStandard || saysMore(text, known)) ? text : null,
  };
}

/** Does the text of an embed say more than the known names, as that of blogs does not, and words that tie them? */
function saysMore(text: string, known: readonly string[]): boolean {
  let rest = folded(text).replaceAll(/https?:\/\/\S+/g, ' ');
  for (const name of known.map(folded)) if (name !== '') rest = rest.replaceAll(name, ' ');
  return (rest.match(/[\p{L}\p{N}]/gu)?.length ?? 0) > LETTERS_OF_TIES;
}

function folded(text: string): string {
  return visibleText(plainText(text)).normalize('NFKC').toLowerCase();
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? plainText(value) || null : null;
}

/** Some providers escape their text for HTML although JSON needs no such thing: undone once. */
function plainText(text: string): string {
  return decodeHTML(text.slice(0, MAX_TEXT_LENGTH));
}

/** Only what a client may open: addresses of the web. */
function addressOf(value: unknown, { baseUrl }: OembedContext): string | null {
  const url = typeof value === 'string' && value !== '' ? parseUrl(value, baseUrl) : null;
  return url !== null && isWeb(url) ? url.href : null;
}

/** And what we may load, data URLs too. */
function imageOf(value: unknown, context: OembedContext): string | null {
  return typeof value === 'string' && /^\s*data:/i.test(value) ? value.trim() : addressOf(value, context);
}

function sizeOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_SIZE
    ? value
    : null;
}

/** Seconds as a number or a string of digits; 0 and less mean that the answer is out of date at once. */
function cacheAge(value: unknown): number | null {
  const seconds = typeof value === 'string' && /^\s*[+-]?\d{1,15}\s*$/.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return null;
  return Math.min(Math.max(Math.trunc(seconds) * SECOND_MS, 0), DAY_MS);
}

/** An oEmbed answer as parsed: member values of any type. */
type OembedDocument = Readonly<Record<string, unknown>>;

const MAX_BYTES = 1024 * 1024;

/**
 * Parses the bytes of an oEmbed answer (oEmbed §2.3): an object in JSON and UTF-8, at most 1 MiB,
 * of version 1.0 or without a version. Null for everything else.
 */
function parseOembed(body: Buffer): OembedDocument | null {
  if (body.length > MAX_BYTES || !isUtf8(body)) return null;
  try {
    // A byte order mark is none of the JSON.
    const value: unknown = JSON.parse(body.toString('utf8').replace(/^\ufeff/, ''));
    return isRecord(value) && [undefined, '1.0', 1].some((version) => version === value['version'])
      ? value
      : null;
  } catch {
    return null;
  }
}
