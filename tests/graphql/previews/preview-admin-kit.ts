import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { AdminClient } from '../../support/clients/admin-client.js';
import { adminListeners } from '../../rest/operators/admin-kit.js';
import { startPreviewKit, type PreviewKit } from '../../rest/clients/preview/preview-kit.js';

/** Previews of a site on loopback, and operators who look after them. */
export interface PreviewAdminKit extends PreviewKit {
  admin: AdminClient;
  operator: AdminClient;
  viewer: AdminClient;
  /** Signs all three in again: a session has 20 operations a second, which a fast machine uses up. */
  signInAnew(): Promise<void>;
  /** Paths below the media folder, in order. */
  files(): string[];
}

/** Starts all of it. */
export async function startPreviewAdminKit(settings: Record<string, unknown> = {}): Promise<PreviewAdminKit> {
  const kit = await startPreviewKit({
    settings: {
      dns: { hosts: { 'site.test': ['127.0.0.1'], 'inside.test': ['10.1.2.3'] } },
      admin: { graphql: { ad_hoc: 'always' } },
      ...adminListeners(),
      ...settings,
    },
  });
  const folder = kit.service.context.config.media_store_path;
  const operators = async () => ({
    admin: await AdminClient.signIn(kit.service, 'admin'),
    operator: await AdminClient.signIn(kit.service, 'operator'),
    viewer: await AdminClient.signIn(kit.service, 'viewer'),
  });
  const whole: PreviewAdminKit = {
    ...kit,
    /** The one that runs, after a restart, too. */
    get service() {
      return kit.service;
    },
    ...(await operators()),
    signInAnew: async () => {
      Object.assign(whole, await operators());
    },
    files: () =>
      readdirSync(folder, { recursive: true })
        .map((name) => join(String(name)))
        .filter((name) => name !== 'tmp')
        .toSorted(),
  };
  return whole;
}
