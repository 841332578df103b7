import { proxyLines } from '../../../src/config/output/proxy.js';
import { parseConfig } from '../../../src/config/parse-config.js';
import { startProxy, type RunningProxy } from './running-proxy.js';

/** An nginx with the lines that we print for one instance, with all on these ports in its place. */
export async function startNginxFor(serverName: string, ports: readonly number[]): Promise<RunningProxy> {
  const parsed = parseConfig({
    server_name: serverName,
    listeners: [{ port: ports[0], x_forwarded: true, resources: ['keys', 'previews', 'media'] }],
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const servers = ports.map((port) => `server 127.0.0.1:${port};`);
  const lines = proxyLines(parsed.config, 'nginx');
  return startProxy('nginx', {
    lines: lines.replace(servers[0] ?? '', servers.join('\n')),
    homeserver: null,
  });
}
