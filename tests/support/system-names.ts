import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The two files in which a system says how names are resolved, in a folder of their own. */
export interface SystemNames {
  /** Their paths, as the service takes them. */
  files: { resolvConf: string; hosts: string };
  writeResolvConf(text: string): Promise<void>;
  writeHosts(text: string): Promise<void>;
  remove(): Promise<void>;
}

/** Makes them; `servers` as `127.0.0.1:PORT`. */
export async function createSystemNames(servers: readonly string[]): Promise<SystemNames> {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-names-'));
  const files = { resolvConf: join(folder, 'resolv.conf'), hosts: join(folder, 'hosts') };
  const names: SystemNames = {
    files,
    writeResolvConf: (text) => writeFile(files.resolvConf, text),
    writeHosts: (text) => writeFile(files.hosts, text),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
  await names.writeResolvConf(servers.map(nameserverLine).join(''));
  await names.writeHosts('127.0.0.1 localhost\n');
  return names;
}

/** A line of resolv.conf for `127.0.0.1:PORT`. */
export function nameserverLine(server: string): string {
  return `nameserver ${server.replace(/^(.*):(\d+)$/, '[$1]:$2')}\n`;
}
