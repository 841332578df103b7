import { compileGlob } from '../rules/glob.js';

/** Tells whether a URL belongs to a provider. */
export type SchemeTest = (url: string) => boolean;

const PATTERN = /^(https?):\/\/([^/?#]+)((?:[/?#].*)?)$/;
const HOST_LABEL = /^[A-Za-z0-9_-]+$/;
const MAX_PATTERN_LENGTH = 1000;

/**
 * Compiles a URL scheme of an oEmbed provider (oEmbed §2.1): in the host `*` stands for one label or a part of one,
 * elsewhere for one or more characters, `/` included; the whole URL must match. Null for what is no http or https
 * pattern. Matching takes time in proportion to the URL.
 */
export function compileScheme(pattern: string): SchemeTest | null {
  const parts = pattern.length > MAX_PATTERN_LENGTH ? null : PATTERN.exec(pattern);
  if (parts === null) return null;
  const [, protocol = '', host = '', rest = ''] = parts;
  const isHost = compileHost(host.toLowerCase());
  const isRest = compileGlob(asGlob(rest));
  const start = `${protocol}://`;
  return (url) => {
    if (!url.startsWith(start)) return false;
    const end = hostEnd(url, start.length);
    return isHost(url.slice(start.length, end).toLowerCase()) && isRest(url.slice(end));
  };
}

function compileHost(pattern: string): (host: string) => boolean {
  const labels = pattern.split('.').map((label) => {
    if (!label.includes('*')) return (text: string) => text === label;
    const isLabel = compileGlob(asGlob(label));
    return (text: string) => HOST_LABEL.test(text) && isLabel(text);
  });
  return (host) => {
    const given = host.split('.');
    return given.length === labels.length && labels.every((isLabel, index) => isLabel(given[index] ?? ''));
  };
}

/** A shell pattern with the same meaning: only `*` is special, and it is never empty. */
function asGlob(pattern: string): string {
  return pattern.replaceAll(/[?[]/g, '[$&]').replaceAll('*', '?*');
}

function hostEnd(url: string, from: number): number {
  for (let at = from; at < url.length; at += 1) {
    if (url[at] === '/' || url[at] === '?' || url[at] === '#') return at;
  }
  return url.length;
}
