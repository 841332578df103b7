import type { JumpQuery } from '../gql/graphql.js';
import { hostHref, mediaHref, previewHref, serverHref, tryHref } from '../pages/hrefs.js';
import { NAV_ITEMS, isAtLeast } from './nav-items.js';

/** Where the palette leads. */
export interface Target {
  /** What it is, in a word or two. */
  kind: string;
  /** May be anybody's text. */
  label: string;
  href: string;
}

type Role = Parameters<typeof isAtLeast>[0];

const MEDIA_ID = /^\d{4}-\d{2}-\d{2}_[A-Za-z]{16}$/;
const ADDRESS = /^(?:https?:\/\/\S+|[^\s/]+\.[^\s/]+\/\S*)$/i;
const HOST = /^(?=.*\.)[a-z0-9.-]+[a-z0-9]$/i;
const SERVER_NAME = /^(?:[a-z0-9.-]+\.[a-z0-9-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Pages of the navigation whose name has the text in it. */
export function pageTargets(text: string, role: Role): Target[] {
  const wanted = text.toLowerCase();
  return NAV_ITEMS.filter(
    (item) => isAtLeast(role, item.role) && item.label.toLowerCase().includes(wanted),
  ).map(({ label, href }) => ({ kind: 'page', label, href }));
}

/** What lists found. */
export function foundTargets({ servers, previews, media }: JumpQuery): Target[] {
  const hosts = new Set(previews.nodes.map(({ host }) => host).filter((host) => host !== ''));
  return [
    ...servers.nodes.map(({ name }) => ({ kind: 'server', label: name, href: serverHref(name) })),
    ...[...hosts].slice(0, 3).map((host) => ({ kind: 'site', label: host, href: hostHref(host) })),
    ...previews.nodes.map((one) => ({ kind: 'preview', label: one.url, href: previewHref(one) })),
    ...media.nodes.map(({ mediaId }) => ({ kind: 'media', label: mediaId, href: mediaHref(mediaId) })),
  ];
}

/** What the text itself may be, known or not. */
export function literalTargets(text: string, role: Role): Target[] {
  const isAddress = isAtLeast(role, 'OPERATOR') && ADDRESS.test(text);
  return [
    ...(MEDIA_ID.test(text) ? [{ kind: 'media', label: text, href: mediaHref(text) }] : []),
    ...(isAddress ? [{ kind: 'try', label: text, href: tryHref(text) }] : []),
    ...(SERVER_NAME.test(text) ? [{ kind: 'server', label: text, href: serverHref(text) }] : []),
    ...(HOST.test(text) ? [{ kind: 'site', label: text, href: hostHref(text) }] : []),
  ];
}
