import { TRIAL_SERVER_NAME } from './load-config.js';
import { proxyRoutes } from './output/proxy.js';
import type { Config } from './schema.js';

/** Where peers and clients ask, without a slash at the end; in a trial, which has no name, the listener's address. */
export function publicUrlOf(config: Config): string {
  const { public_baseurl: stated, server_name: serverName } = config;
  if (stated !== null) return stated.replace(/\/$/, '');
  const [route] = proxyRoutes(config);
  const isTrial = serverName === TRIAL_SERVER_NAME && route !== undefined;
  return isTrial ? `${route.scheme}://${route.address}` : `https://${serverName}`;
}
