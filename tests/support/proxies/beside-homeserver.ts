import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { proxyLines, type ProxyServer } from '../../../src/config/output/proxy.js';
import { startTestService, type TestService } from '../service.js';
import { startProxy, type RunningProxy } from './running-proxy.js';

/** Settings of one listener that a proxy is in front of. */
export const BEHIND_PROXY = {
  listeners: [{ port: 0, x_forwarded: true, resources: ['keys', 'previews', 'media', 'health', 'metrics'] }],
};

/** What we print for the service, with the port its listener got. */
export function linesFor(service: TestService, server: ProxyServer): string {
  const { config } = service.context;
  const port = Number(new URL(service.url).port);
  return proxyLines({ ...config, listeners: config.listeners.map((each) => ({ ...each, port })) }, server);
}

/** A service under the name of a homeserver, and a proxy with our lines in front of both. */
export interface BesideHomeserver {
  service: TestService;
  proxy: RunningProxy;
  stop(): Promise<void>;
}

/** Starts both; `address` is host and port of the homeserver, whose signing key is made up. */
export async function startBeside(
  server: ProxyServer,
  address: string,
  settings: Record<string, unknown> = {},
): Promise<BesideHomeserver> {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-beside-'));
  const keyFile = join(folder, 'homeserver.key');
  const seed = Buffer.alloc(32, 7).toString('base64').replace('=', '');
  await writeFile(keyFile, `ed25519 home ${seed}\n`, { mode: 0o600 });
  const service = await startTestService({
    settings: {
      ...BEHIND_PROXY,
      dialect: 'matrix',
      auth: { homeserver_url: `http://${address}/` },
      signing_key_path: undefined,
      key_server_signing_keys_path: keyFile,
      ...settings,
    },
  });
  const proxy = await startProxy(server, { lines: linesFor(service, server), homeserver: address });
  return {
    service,
    proxy,
    stop: async () => {
      await proxy.stop();
      await service.remove();
      await rm(folder, { recursive: true });
    },
  };
}
