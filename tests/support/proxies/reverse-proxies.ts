import { existsSync } from 'node:fs';

import type { ProxyServer } from '../../../src/config/output/proxy.js';

/** What a proxy's own configuration is made of. */
export interface ProxySetting {
  /** As `proxyLines` writes them. */
  lines: string;
  /** Where it listens on loopback. */
  port: number;
  /** Address and port of the homeserver that had the host before; `null`: the host is ours alone. */
  homeserver: string | null;
  /** For what the program writes. */
  folder: string;
}

/** A reverse proxy as Debian packages it. */
export interface ReverseProxy {
  debianPackage: string;
  program: string;
  /** The lines within a configuration such as the homeserver's documentation shows. */
  configuration: (setting: ProxySetting) => string;
  /** Arguments that check a configuration file, and that run the program in the foreground. */
  check: (file: string, folder: string) => string[];
  run: (file: string, folder: string) => string[];
}

/** Servers give up the rights of root, and then cannot write into our folder. */
const isRoot = process.getuid?.() === 0;

export const REVERSE_PROXIES: Record<ProxyServer, ReverseProxy> = {
  nginx: {
    debianPackage: 'nginx',
    program: '/usr/sbin/nginx',
    configuration: ({ lines, port, homeserver, folder }) => {
      const [outside = '', inside = ''] = lines.split(/^(?=# In each server)/m);
      const own = `location ~ ^(/_matrix|/_synapse/client) { proxy_pass http://${homeserver}; }`;
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      return [
        `${isRoot ? 'user root; ' : ''}daemon off; pid ${folder}/pid; error_log stderr; events {}`,
        `http { access_log off; ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}`,
        outside,
        `server { listen 127.0.0.1:${port}; ${inside}`,
        homeserver === null ? '' : own,
        '} }',
      ].join('\n');
    },
    check: (file, folder) => ['-t', '-q', '-p', folder, '-e', 'stderr', '-c', file],
    run: (file, folder) => ['-p', folder, '-e', 'stderr', '-c', file],
  },
  caddy: {
    debianPackage: 'caddy',
    program: '/usr/bin/caddy',
    configuration: ({ lines, port, homeserver }) =>
      [
        '{\nadmin off\nauto_https off\n}',
        `http://127.0.0.1:${port} {`,
        lines,
        homeserver === null ? '' : `handle /_matrix/* {\nreverse_proxy ${homeserver}\n}`,
        '}\n',
      ].join('\n'),
    check: (file) => ['validate', '--adapter', 'caddyfile', '--config', file],
    run: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
};

/** Why a proxy cannot be tried here, or `null`. */
export function proxyMissing(server: ProxyServer): string | null {
  const { program, debianPackage } = REVERSE_PROXIES[server];
  return existsSync(program) ? null : `skipped: there is no ${program} (Debian package ${debianPackage})`;
}
