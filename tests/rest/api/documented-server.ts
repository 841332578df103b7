import { sampleImage } from '../../core/preview/media/sample-images.js';
import { AdminClient } from '../../support/clients/admin-client.js';
import { checkpointOf } from '../../support/clients/log-client.js';
import { postKey } from '../../support/clients/notary-client.js';
import { K1 } from '../../support/origins/record-recipes.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
} from '../../support/origins/remote-server.js';
import { page } from '../../support/origins/remote-site.js';
import { makeUiFolder } from '../operators/admin-kit.js';
import { startPreviewKit, tagged, type PreviewKit } from '../clients/preview/preview-kit.js';

const RESOURCES = ['keys', 'log', 'previews', 'media', 'health', 'metrics', 'admin'];
export const PREVIEW_BURST = 30;

/** A server that serves every resource, knows one other server and has one preview. */
export interface DocumentedServer {
  kit: PreviewKit;
  uiFolder: string;
  remote: RemoteServer;
  admin: AdminClient;
  /** The image of the preview. */
  mediaId: string;
  remove(): Promise<void>;
}

export async function startDocumentedServer(): Promise<DocumentedServer> {
  const authority = await createTestAuthority();
  const ui = await makeUiFolder();
  const kit = await startPreviewKit({
    caPaths: [authority.caPath],
    uiFolder: ui.path,
    settings: {
      listeners: [{ port: 0, bind_addresses: ['127.0.0.1'], resources: RESOURCES }],
      admin: { graphql: { ad_hoc: 'always' } },
      previews: { rate_limit: { burst: PREVIEW_BURST, interval: '1h' } },
    },
  });
  const validUntilTs = kit.service.clock.now() + 36_000_000;
  const remote = await startRemoteServer(authority, { keys: [K1], validUntilTs });
  await postKey(kit.service.url, remote.serverName);
  await checkpointOf(kit.service.url, 1);
  const admin = await AdminClient.signIn(kit.service, 'admin');
  kit.serve('/view.jpg', page(await sampleImage(400, 300).jpeg().toBuffer(), { type: 'image/jpeg' }));
  kit.serve('/page', tagged({ 'og:title': 'A title', 'og:image': '/view.jpg' }));
  kit.serve('/hangs-up', (request) => void request.socket.destroy());
  const { body } = await kit.preview('/page');
  const mediaId = String(body['og:image']).split('/').at(-1)!;
  const remove = async (): Promise<void> => {
    await kit.remove();
    await remote.origin.close();
    await authority.remove();
    await ui.remove();
  };
  return { kit, uiFolder: ui.path, remote, admin, mediaId, remove };
}
