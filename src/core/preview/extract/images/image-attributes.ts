import { MAX_ADDRESS_LENGTH, type Attributes } from '../dom/elements.js';

const MAX_SET_LENGTH = 65_536;
const MAX_OTHERS = 4;
/** Where most pages keep the address of an image that a script loads when it scrolls into view. */
const LAZY_SOURCES = ['data-src', 'data-original', 'data-lazy-src', 'data-lazy', 'data-hi-res-src'];
const LAZY_SETS = ['data-srcset', 'data-lazy-srcset'];
/** What has a meaning of its own, and what scripts show instead of an image. */
const KNOWN = new Set(
  (
    'src srcset alt title class id style sizes width height href name type media loading usemap itemprop role ' +
    'aria-hidden decoding fetchpriority crossorigin border data-src data-srcset'
  ).split(' '),
);
const NO_IMAGE = /(?:title|caption|name|alt|link|placeholder|error|fallback|default|blank|description)$/;
/** The smaller ones of an image's files. */
const POOR = /thumb|small|lqip|blur|low/;
/** Names that say that the value is an address, so that it needs no ending that says so. */
const ADDRESS_NAME = /src$|lazy|original|echo|^(?:zoom)?file$/;
const RASTER = /\.(?:jpe?g|jfif|png|webp|avif|gif|bmp)(?![\w.])/i;
const SET = /\s\d{1,5}(?:\.\d{1,3})?[wx]\s*(?:,|$)/;

/** Of a set; larger files only cost more. */
const WIDEST_USEFUL = 2_000;
const MAX_ENTRIES = 50;
const MAX_READ_FOR_WIDTH = 4_000;

/** The address in one of the attributes commonly used, where it is one; null without. */
export function lazyAddress(attributes: Attributes): string | null {
  for (const name of LAZY_SOURCES) {
    const value = attributes[name];
    if (value !== undefined && isAddress(value)) return withWidth(value.trim());
  }
  return null;
}

/** The srcset of an image or source, that of scripts before the browser's own; null without. */
export function srcsetOf(attributes: Attributes): string | null {
  return firstOf(attributes, LAZY_SETS) ?? firstOf(attributes, ['srcset']);
}

/** Values of all other attributes that look like an image's address or srcset, large ones first. */
export function otherAddresses(attributes: Attributes): string[] {
  const good: string[] = [];
  const poor: string[] = [];
  for (const [name, value] of Object.entries(attributes)) {
    if (KNOWN.has(name) || NO_IMAGE.test(name) || !isImage(name, value)) continue;
    (POOR.test(name) ? poor : good).push(withWidth(value.trim()));
  }
  return [...good, ...poor].slice(0, MAX_OTHERS);
}

/** The first address that a style loads as background, or a bare one; null where there is none. */
export function backgroundAddress(value: string): string | null {
  const start = value.slice(0, 2_000);
  const named = /url\(\s*(?:"([^"]+)"|'([^']+)'|([^\s"')]+))/i.exec(start);
  const address = named?.[1] ?? named?.[2] ?? named?.[3] ?? (start.includes('(') ? '' : start);
  return isAddress(address) ? address.trim() : null;
}

function isImage(name: string, value: string): boolean {
  if (value.length > MAX_SET_LENGTH) return false;
  if (SET.test(value.slice(-30))) return RASTER.test(value.slice(0, 2_000)) || name.endsWith('srcset');
  if (!isAddress(value)) return false;
  const start = value.slice(0, 1_000);
  return RASTER.test(start) ? start.includes('/') || ADDRESS_NAME.test(name) : ADDRESS_NAME.test(name);
}

/** No flag, number, JSON or sentence. */
function isAddress(value: string): boolean {
  const plain = value.trim();
  if (plain.length > MAX_ADDRESS_LENGTH || !/[/.?]/.test(plain)) return false;
  return !/^(?:data:|javascript:|#|\[|\{|<|[\d.]+$)/i.test(plain.slice(0, 100)) && !/[\s"'<>]/.test(plain);
}

/** Some scripts put the width they need into the address. */
function withWidth(address: string): string {
  return address.replaceAll(/\{width\}|%7Bwidth%7D/gi, '800');
}

function firstOf(attributes: Attributes, names: readonly string[]): string | null {
  for (const name of names) {
    const value = attributes[name];
    if (value !== undefined && value.trim() !== '' && value.length <= MAX_SET_LENGTH) return value;
  }
  return null;
}

/** The largest useful entry of a srcset; HTML §4.8.4.2.1. */
export function bestOfSet(srcset: string): string | null {
  let best: string | null = null;
  let bestSize = -1;
  for (const entry of srcset.split(/,\s+|,(?=https?:|\/)/, MAX_ENTRIES)) {
    const [address = '', descriptor = '1x'] = entry.trim().split(/\s+/, 2);
    const number = Number.parseFloat(descriptor);
    const size = descriptor.endsWith('w') ? number : number * 600;
    if (address === '' || address.startsWith('data:') || !(size > 0)) continue;
    const isBetter =
      size <= WIDEST_USEFUL ? size > bestSize || bestSize > WIDEST_USEFUL : best === null || size < bestSize;
    if (isBetter) {
      best = address.replace(/,$/, '');
      bestSize = size;
    }
  }
  return best;
}

/** The width in pixels of the widest entry of a srcset that states one; null without. */
export function widestOfSet(srcset: string): number | null {
  const widths = [...srcset.slice(0, MAX_READ_FOR_WIDTH).matchAll(/\s(\d{1,5})w/g)].map(([, digits]) =>
    Number(digits),
  );
  return widths.length === 0 ? null : Math.max(...widths);
}
