import { createToken, preview, type PreviewAnswer } from '../../../support/clients/preview-client.js';
import {
  page,
  startRemoteSite,
  type RemoteSite,
  type SitePage,
} from '../../../support/origins/remote-site.js';
import { startTestService, type TestService, type TestServiceOptions } from '../../../support/service.js';

/** A running service, a web site known to it as `site.test`, and a user who asks for previews of it. */
export interface PreviewKit {
  service: TestService;
  site: RemoteSite;
  token: string;
  /** Address of a path at the site. */
  url(path: string): string;
  /** Serves under the path from now on; a text is an HTML page. Returns the address. */
  serve(path: string, answer: SitePage | string): string;
  /** Preview of a path at the site or of a whole address. */
  preview(target: string, ts?: number): Promise<PreviewAnswer>;
  /** Paths asked for at the site that start with `prefix`, in order. */
  hits(prefix: string): string[];
  /** Starts the service again on the same files. */
  restart(settings?: Record<string, unknown>): Promise<void>;
  remove(): Promise<void>;
}

/** Name of the site; a test that sets `dns` itself must keep it resolvable. */
export const SITE_NAME = 'site.test';

/** Starts all of it; the settings given replace those of tests. */
export async function startPreviewKit(options: TestServiceOptions = {}): Promise<PreviewKit> {
  const site = await startRemoteSite();
  const settings = { dns: { hosts: { [SITE_NAME]: ['127.0.0.1'] } }, ...options.settings };
  const service = await startTestService({ ...options, settings });
  const kit: PreviewKit = {
    service,
    site,
    token: await createToken(service),
    url: (path) => site.url(path, SITE_NAME),
    serve: (path, answer) => {
      site.pages.set(path, typeof answer === 'string' ? page(answer) : answer);
      return kit.url(path);
    },
    preview: (target, ts) =>
      preview(kit.service, kit.token, target.startsWith('/') ? kit.url(target) : target, ts),
    hits: (prefix) => site.hits.map((hit) => hit.path).filter((path) => path.startsWith(prefix)),
    restart: async (changed) => {
      kit.service = await kit.service.restart(changed);
    },
    remove: async () => {
      await kit.service.remove();
      await site.close();
    },
  };
  return kit;
}

/** An HTML page with tags of the Open Graph and a body. */
export function tagged(tags: Record<string, string>, body = ''): string {
  const metas = Object.entries(tags).map(
    ([key, value]) => `<meta property="${key}" content="${value.replaceAll('"', '&quot;')}">`,
  );
  return `<html><head>${metas.join('')}</head><body>${body}</body></html>`;
}
