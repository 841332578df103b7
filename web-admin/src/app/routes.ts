import { lazy } from 'react';
import type { ComponentType } from 'react';

/** A page: where it is and the file that draws it, loaded when first opened. Order matters: first match wins. */
export interface PageRoute {
  path: string;
  page: ComponentType;
}

export const ROUTES: readonly PageRoute[] = [
  { path: '/', page: lazy(async () => ({ default: (await import('../pages/overview/page.js')).Page })) },
  { path: '/keys', page: lazy(async () => ({ default: (await import('../pages/keys/page.js')).Page })) },
  {
    path: '/keys/own',
    page: lazy(async () => ({ default: (await import('../pages/own-keys/page.js')).Page })),
  },
  {
    path: '/keys/:server',
    page: lazy(async () => ({ default: (await import('../pages/server/page.js')).Page })),
  },
  {
    path: '/previews',
    page: lazy(async () => ({ default: (await import('../pages/previews/page.js')).Page })),
  },
  {
    path: '/previews/view',
    page: lazy(async () => ({ default: (await import('../pages/preview/page.js')).Page })),
  },
  { path: '/try', page: lazy(async () => ({ default: (await import('../pages/try/page.js')).Page })) },
  { path: '/media', page: lazy(async () => ({ default: (await import('../pages/media/page.js')).Page })) },
  {
    path: '/media/:mediaId',
    page: lazy(async () => ({ default: (await import('../pages/media-item/page.js')).Page })),
  },
  {
    path: '/blocking',
    page: lazy(async () => ({ default: (await import('../pages/blocking/page.js')).Page })),
  },
  { path: '/jobs', page: lazy(async () => ({ default: (await import('../pages/jobs/page.js')).Page })) },
  {
    path: '/jobs/runs/:id',
    page: lazy(async () => ({ default: (await import('../pages/job-run/page.js')).Page })),
  },
  { path: '/jobs/:name', page: lazy(async () => ({ default: (await import('../pages/job/page.js')).Page })) },
  { path: '/access', page: lazy(async () => ({ default: (await import('../pages/access/page.js')).Page })) },
  {
    path: '/settings',
    page: lazy(async () => ({ default: (await import('../pages/settings/page.js')).Page })),
  },
  { path: '/audit', page: lazy(async () => ({ default: (await import('../pages/audit/page.js')).Page })) },
  { path: '/api', page: lazy(async () => ({ default: (await import('../pages/api/page.js')).Page })) },
];
