import { lazy, type ComponentType } from 'react';

import { readBasePath } from '../api/base-path.js';
import { RequestError } from '../api/request-error.js';

/** A page: where it is and the file that draws it, loaded when first opened. Order matters: first match wins. */
export interface PageRoute {
  path: string;
  page: ComponentType;
}

/** A page of its own file. A browser may remember that a file did not come, so that only a reload helps. */
function page(load: () => Promise<{ Page: ComponentType }>): ComponentType {
  return lazy(async () => {
    const { Page } = await load().catch(async () => {
      throw await whyNotLoaded();
    });
    return { default: Page };
  });
}

const RETRY_MS = 2_000;

/** Files of an older build are gone after an upgrade; those of a server that is away come when it is back. */
async function whyNotLoaded(): Promise<RequestError> {
  if (await isThere()) return new RequestError('STALE_PAGE', 'Part of this page could not be loaded.');
  const { href } = window.location;
  const look = async () => {
    if (window.location.href !== href) return;
    if (await isThere()) window.location.reload();
    else setTimeout(() => void look(), RETRY_MS);
  };
  setTimeout(() => void look(), RETRY_MS);
  return new RequestError('PAGE_AWAY', 'This page loads as soon as the server answers again.');
}

/** Whether anything answers where the pages come from. */
async function isThere(): Promise<boolean> {
  return fetch(`${readBasePath()}/session`, { signal: AbortSignal.timeout(RETRY_MS) }).then(
    ({ status }) => status < 500,
    () => false,
  );
}

export const ROUTES: readonly PageRoute[] = [
  { path: '/', page: page(() => import('../pages/overview/page.js')) },
  { path: '/keys', page: page(() => import('../pages/keys/page.js')) },
  { path: '/keys/:server', page: page(() => import('../pages/server/page.js')) },
  { path: '/our-keys', page: page(() => import('../pages/own-keys/page.js')) },
  { path: '/previews', page: page(() => import('../pages/previews/page.js')) },
  { path: '/previews/view', page: page(() => import('../pages/preview/page.js')) },
  { path: '/blocking', page: page(() => import('../pages/blocking/page.js')) },
  { path: '/jobs', page: page(() => import('../pages/jobs/page.js')) },
  { path: '/access', page: page(() => import('../pages/access/page.js')) },
  { path: '/settings', page: page(() => import('../pages/settings/page.js')) },
];
