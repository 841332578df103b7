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

/** The same with whose turn it is where answers wait to be read. */
export interface OembedQuestion extends OembedContext {
  client?: Client;
}

/** How an answer is converted: in this thread, or by asking another one. */
export type ConvertOembed = (body: Buffer, context: OembedQuestion) => Promise<OembedData>;

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
  const openGraph: OpenGraph = new Map([['og:url', context.url]]);
  setText(openGraph, 'og:title', document['title']);
  setText(openGraph, 'og:site_name', document['provider_name']);
  setAddress(openGraph, 'og:image', { value: document['thumbnail_url'], baseUrl: context.baseUrl });
  addByType(openGraph, document, context);
  const authorName = document['author_name'];
  return {
    openGraph,
    authorName: isText(authorName) ? plainText(authorName) || null : null,
    cacheAgeMs: cacheAge(document['cache_age']),
  };
}

function addByType(openGraph: OpenGraph, document: OembedDocument, context: OembedContext): void {
  const { type, url } = document;
  if (type === 'photo') setAddress(openGraph, 'og:image', { value: url, baseUrl: context.baseUrl });
  if (type === 'link') openGraph.set('og:type', 'website');
  if (type === 'video') openGraph.set('og:type', 'video.other');
  if (type === 'rich' || type === 'video') addHtml(openGraph, document, context);
  if (type === 'video') {
    setSize(openGraph, 'og:video:width', document['width']);
    setSize(openGraph, 'og:video:height', document['height']);
  }
}

/** What lies beyond 32 kB of the HTML is not looked at. */
function addHtml(openGraph: OpenGraph, document: OembedDocument, context: OembedContext): void {
  const { html } = document;
  if (typeof html !== 'string' || html === '') return;
  const { baseUrl, extraction } = context;
  const page = parsePage([html.slice(0, MAX_HTML_LENGTH)], { isXml: false, isEnough: () => false });
  const sourceOf = (selector: string): string | undefined => page.$(selector).first().attr('src');
  if (!openGraph.has('og:image')) setAddress(openGraph, 'og:image', { value: sourceOf('img[src]'), baseUrl });
  setAddress(openGraph, 'og:video', { value: sourceOf('video[src]') ?? sourceOf('embed[src]'), baseUrl });
  const isStandard = extraction === 'standard';
  const text = summarizeText(isStandard ? textNodes(page.root) : page.body.blocks.map((block) => block.text));
  const known = [document['title'], document['author_name'], document['provider_name']].filter(isText);
  if (text !== null && (isStandard || saysMore(text, known))) openGraph.set('og:description', text);
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

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function setText(openGraph: OpenGraph, key: string, value: unknown): void {
  if (typeof value === 'string' && value !== '') openGraph.set(key, plainText(value));
}

/** Some providers escape their text for HTML although JSON needs no such thing: undone once. */
function plainText(text: string): string {
  return decodeHTML(text.slice(0, MAX_TEXT_LENGTH));
}

/** Only what a client may open, and what we may load: addresses of the web, of images data URLs too. */
function setAddress(openGraph: OpenGraph, key: string, of: { value: unknown; baseUrl: string }): void {
  if (typeof of.value !== 'string' || of.value === '') return;
  if (key === 'og:image' && /^\s*data:/i.test(of.value)) openGraph.set(key, of.value.trim());
  const url = parseUrl(of.value, of.baseUrl);
  if (url !== null && isWeb(url)) openGraph.set(key, url.href);
}

function setSize(openGraph: OpenGraph, key: string, value: unknown): void {
  const isSize = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_SIZE;
  if (isSize) openGraph.set(key, value);
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
  // A byte order mark is none of the JSON.
  const text = body.toString('utf8').replace(/^\ufeff/, '');
  const value = parsed(text);
  return isRecord(value) && hasKnownVersion(value) ? value : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function hasKnownVersion({ version }: OembedDocument): boolean {
  return version === undefined || version === '1.0' || version === 1;
}
