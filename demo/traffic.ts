import { BLOCKED } from '../tests/browser/support/pages-of-site.js';
import type { RemoteSite } from '../tests/support/origins/remote-site.js';
import type { Product } from './product.js';
import type { Servers } from './servers.js';

/** Web sites that resolve to this machine. */
export const SITES = ['news.meadow.example', 'www.harbour.example', 'blog.mill.example', 'club.lake.example'];

/** Requests of each kind a second, so that the pages fill while one looks. */
const PACE_MS = 80;
/** How often everything is asked for: most answers come from memory, as in a service that has been running. */
const TIMES = 3;
/** What fails comes when much has gone well: it is to be discovered, not to look like an outage. */
const FAILURES_AT = 0.4;
const REFRESH = `mutation Refresh($serverName: String!) {
  refreshServerKeys(serverName: $serverName) { userErrors { message } } }`;

/** Pages that are no previews: one that fails, two that lead to what is refused, and the webhook. */
const SPECIAL = ['/broken', '/away', '/inside', '/pager'];

interface Traffic {
  product: Product;
  servers: Servers;
  site: RemoteSite;
  /** May ask for previews and operate. */
  token: string;
  /** Variants of each page. */
  variants: number;
  signal: AbortSignal;
}

/** Asks for keys as peers do and for previews as clients do, one after the other, until everything has been asked for. */
export async function fillWorld(traffic: Traffic, onProgress: (share: number) => void): Promise<void> {
  const requests = [...keyRequests(traffic), ...previewRequests(traffic)];
  // Both kinds come at the same time.
  const shuffled = requests.toSorted((a, b) => a.at - b.at);
  for (const [index, { send }] of shuffled.entries()) {
    traffic.signal.throwIfAborted();
    const pause = new Promise((resolve) => setTimeout(resolve, PACE_MS / 2));
    await Promise.all([send().catch(() => {}), pause]);
    onProgress((index + 1) / shuffled.length);
  }
}

interface Sent {
  /** Where it stands among all, from 0 to 1. */
  at: number;
  send: () => Promise<void>;
}

function keyRequests({ product: { url }, servers, token }: Traffic): Sent[] {
  const { names, replaced, expired } = servers;
  const query = (name: string) => () => load(`${url}/_svc/key/v2/query/${name}/ed25519:a_2026`);
  const good = names.filter((name) => name !== expired);
  const queries = Array.from({ length: TIMES }, (_, time) =>
    good.map((name, index) => ({ at: (index / good.length + time) / TIMES, send: query(name) })),
  ).flat();
  const refresh = () =>
    load(`${url}/admin/api/graphql`, {
      method: 'POST',
      headers: { ...authorized(token), 'content-type': 'application/json' },
      body: JSON.stringify({ query: REFRESH, variables: { serverName: replaced } }),
    });
  // Its second answer has another key.
  return [...queries, { at: 0.1, send: refresh }, { at: FAILURES_AT, send: query(expired) }];
}

/** Every page of the sites, what rules refuse, and requests with a token nobody has and with none. */
function previewRequests({ product: { url }, site, token, variants }: Traffic): Sent[] {
  const paths = [...site.pages.keys()].filter((path) => !SPECIAL.includes(path));
  const pages = Array.from({ length: variants }, (_, index) =>
    SITES.flatMap((host) =>
      paths.map((path) => `${site.url(path, host)}${index === 0 ? '' : `?part=${index}`}`),
    ),
  ).flat();
  const special = ['/broken', '/away', '/inside', '/private/x'].map((path) => site.url(path, SITES[0]));
  const refused = [`http://${BLOCKED}/pixel`, 'http://10.0.0.7/'];
  const good = Array.from({ length: TIMES }, () => pages).flat();
  const preview = (page: string) => `${url}/_svc/media/v3/preview_url?url=${encodeURIComponent(page)}`;
  const ask = (page: string) => () => load(preview(page), { headers: authorized(token) });
  return [
    ...good.map((page, index) => ({ at: index / good.length, send: ask(page) })),
    ...[...special, ...refused].map((page) => ({ at: FAILURES_AT, send: ask(page) })),
    { at: 0.2, send: () => load(preview(pages[0] ?? ''), { headers: authorized('invented') }) },
    { at: 0.3, send: () => load(preview(pages[0] ?? '')) },
  ];
}

const authorized = (token: string) => ({ authorization: `Bearer ${token}` });

/** A failure is an answer, too: some are meant to fail. */
async function load(url: string, init: RequestInit = {}): Promise<void> {
  await (await fetch(url, init)).arrayBuffer();
}
