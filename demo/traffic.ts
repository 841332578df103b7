import { BLOCKED } from '../tests/browser/support/pages-of-site.js';
import type { RemoteSite } from '../tests/support/origins/remote-site.js';
import type { Product } from './product.js';
import type { Servers } from './servers.js';
import { REPLACED } from './sicknesses.js';

/** Web sites that resolve to this machine. */
export const SITES = ['news.meadow.example', 'www.harbour.example', 'blog.mill.example', 'club.lake.example'];

const AT_ONCE = 16;
/** An operator may send twenty operations a second. */
const REFRESH_INTERVAL_MS = 60;
const REFRESH = `mutation Refresh($keyIds: [String!], $minimumValidUntilMs: SafeInt, $serverName: String!) {
  refreshServerKeys(keyIds: $keyIds, minimumValidUntilMs: $minimumValidUntilMs, serverName: $serverName) { userErrors { message } } }`;

const TRY = `mutation Try($acceptLanguage: [String!], $ignoreCaches: Boolean! = false, $of: ID, $store: Boolean! = false, $ts: SafeInt, $url: String!) { tryPreview(acceptLanguage: $acceptLanguage, ignoreCaches: $ignoreCaches, of: $of, store: $store, ts: $ts, url: $url) { traceId } }`;

/** Asks for the keys of all servers as peers do, once more where that finds another key. */
export async function askForKeys({ url }: Product, { names }: Servers, token: string): Promise<void> {
  await forEach([...names.keys()], (name) => load(`${url}/_svc/key/v2/query/${name}/ed25519:auto`));
  for (const [serverName, sickness] of names) {
    if (sickness !== REPLACED) continue;
    await operate(url, token, { query: REFRESH, variables: { serverName } });
    await new Promise((resolve) => setTimeout(resolve, REFRESH_INTERVAL_MS));
  }
}

/**
 * Asks for previews of every page of the sites as clients do, of what rules refuse, with a token nobody has, and with
 * none; tries one of each site as an operator.
 */
export async function askForPreviews({ url }: Product, site: RemoteSite, token: string): Promise<void> {
  const pages = SITES.flatMap((host) => [...site.pages.keys()].map((path) => site.url(path, host)));
  const refused = [`http://${BLOCKED}/pixel`, site.url('/private/x', SITES[0]), 'http://10.0.0.7/'];
  const preview = (page: string) => `${url}/_svc/media/v3/preview_url?url=${encodeURIComponent(page)}`;
  await forEach([...pages, ...refused], (page) => load(preview(page), { headers: authorized(token) }));
  await forEach(pages.slice(0, AT_ONCE), (page) => load(preview(page), { headers: authorized('invented') }));
  await forEach(pages.slice(0, AT_ONCE), (page) => load(preview(page)));
  for (const host of SITES)
    await operate(url, token, { query: TRY, variables: { url: site.url('/harvest', host) } });
}

function operate(url: string, token: string, operation: object): Promise<void> {
  return load(`${url}/admin/api/graphql`, {
    method: 'POST',
    headers: { ...authorized(token), 'content-type': 'application/json' },
    body: JSON.stringify(operation),
  });
}

const authorized = (token: string) => ({ authorization: `Bearer ${token}` });

/** A failure is an answer, too: many are meant to fail. */
async function load(url: string, init: RequestInit = {}): Promise<void> {
  await (await fetch(url, init)).arrayBuffer();
}

async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
