import { hostname } from 'node:os';

import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { parseHostsFile, type HostsTable } from './hosts-file.js';
import { parseResolvConf, type ResolvConf } from './resolv-conf.js';
import { WatchedFile } from './watched-file.js';

/** Where the system says how names are resolved. */
export interface SystemFilePaths {
  resolvConf: string;
  hosts: string;
}

export const SYSTEM_FILES: SystemFilePaths = { resolvConf: '/etc/resolv.conf', hosts: '/etc/hosts' };

/** What both say now. */
export interface SystemFiles {
  resolvConf(): Promise<ResolvConf>;
  hosts(): Promise<HostsTable>;
}

const MAX_RESOLV_CONF_BYTES = 64 * 1024;
const MAX_HOSTS_BYTES = 8 * 1024 * 1024;

/** Both files, read again when they have changed. */
export function watchSystemFiles(paths: SystemFilePaths, clock: Clock, logger: Logger | null): SystemFiles {
  const onError = (error: unknown): void =>
    logger?.warn(
      { err: error },
      'a file of the system about names cannot be read; what it said before holds',
    );
  const resolvConf = new WatchedFile({
    path: paths.resolvConf,
    parse: (text) => parseResolvConf(text, hostname()),
    clock,
    maxBytes: MAX_RESOLV_CONF_BYTES,
    onError,
  });
  const hosts = new WatchedFile({
    path: paths.hosts,
    parse: parseHostsFile,
    clock,
    maxBytes: MAX_HOSTS_BYTES,
    onError,
  });
  return { resolvConf: () => resolvConf.read(), hosts: () => hosts.read() };
}
