import ipaddr from 'ipaddr.js';

import { isRecord } from '../../core/base/json/is-record.js';
import type { HomeserverFiles, Remark } from './homeserver-files.js';

/** Listeners beside those of a Synapse. */
export interface HomeserverListeners {
  /** As in the setting `listeners`. */
  readonly listeners: readonly object[];
  /** Where the homeserver is asked about access tokens. */
  readonly homeserverUrl: string;
  readonly remarks: readonly Remark[];
}

interface Listener {
  readonly index: number;
  readonly port: number;
  readonly isTls: boolean;
  readonly isForwarded: boolean;
  /** Whether clients are served in HTTP over TCP. */
  readonly isForClients: boolean;
  /** Where it is reached from this machine, as in an address; `null`: its `bind_addresses` do not say. */
  readonly host: string | null;
}

const LOOPBACK = '127.0.0.1';
const DEFAULT_PORT = 8008;
const DEFAULT_URL = `http://${LOOPBACK}:${DEFAULT_PORT}/`;
/** What a listener may be bound to so that `127.0.0.1` leads to it. */
const ON_LOOPBACK: ReadonlySet<unknown> = new Set([LOOPBACK, 'localhost', '0.0.0.0', '::', '']);
const EVERY_PORT = 65_535;

/**
 * Our listeners on ports that the homeserver does not take, behind the same proxy, and the address of its own for
 * clients on this machine. Each of its listeners is a remark: they stay its own.
 */
export function homeserverListeners(files: HomeserverFiles): HomeserverListeners {
  const listeners = readListeners(files);
  const client = listeners.find(({ isForClients, isTls, host }) => isForClients && !isTls && host !== null);
  const taken = new Set(listeners.map(({ port }) => port));
  if (client === undefined) taken.add(DEFAULT_PORT);
  const isForwarded = listeners.some((one) => one.isForwarded);
  const [front, admin, metrics] = [8008, 8009, 9008].map((port) => freePort(port, taken));
  const publicResources = ['keys', 'log', 'previews', 'media', 'health'];
  const homeserverUrl = client === undefined ? null : `http://${client.host}:${client.port}/`;
  const kept = listeners.map(({ index, port }) => {
    const message = `stays the homeserver's; ours is port ${front}, for the proxy in front of both ("vidimus config proxy")`;
    const at = { ...files.spot(['listeners', index]), setting: `listeners[${index}]` };
    return {
      ...at,
      message: port === client?.port ? `${message}; auth.homeserver_url asks this one` : message,
    };
  });
  return {
    listeners: [
      { port: front, ...(isForwarded && { x_forwarded: true }), resources: publicResources },
      { port: admin, resources: ['admin'] },
      { port: metrics, resources: ['metrics'] },
    ],
    homeserverUrl: homeserverUrl ?? DEFAULT_URL,
    remarks: homeserverUrl === null ? [...kept, unknownUrl(files)] : kept,
  };
}

function readListeners(files: HomeserverFiles): Listener[] {
  const value = files.get(['listeners']);
  return (Array.isArray(value) ? value : []).flatMap((entry: unknown, index) => {
    if (!isRecord(entry)) return [];
    const { port, type = 'http', tls, x_forwarded: forwarded, resources } = entry;
    const names: unknown[] = (Array.isArray(resources) ? resources : []).flatMap((one: unknown) =>
      isRecord(one) && Array.isArray(one['names']) ? one['names'] : [],
    );
    const isForClients = typeof port === 'number' && type === 'http' && names.includes('client');
    const number = typeof port === 'number' ? port : 0;
    const host = hostOf(entry);
    return [
      { index, port: number, isTls: tls === true, isForwarded: forwarded === true, isForClients, host },
    ];
  });
}

/** Without any it listens everywhere. */
function hostOf({ bind_addresses: several, bind_address: one }: Record<string, unknown>): string | null {
  const addresses: unknown = several ?? (one === undefined || one === null ? [] : [one]);
  if (!Array.isArray(addresses)) return null;
  if (addresses.length === 0 || addresses.some((address) => ON_LOOPBACK.has(address))) return LOOPBACK;
  const found = addresses.find(
    (address): address is string => typeof address === 'string' && ipaddr.isValid(address),
  );
  if (found === undefined) return null;
  return ipaddr.IPv6.isValid(found) ? `[${found}]` : found;
}

function freePort(wanted: number, taken: Set<number>): number {
  let port = wanted;
  while (taken.has(port) && port + 10 < EVERY_PORT) port += 10;
  taken.add(port);
  return port;
}

function unknownUrl(files: HomeserverFiles): Remark {
  const message = `names none for clients in plain HTTP that can be told an address of; auth.homeserver_url is ${DEFAULT_URL}, correct it`;
  return { ...files.spot(['listeners']), setting: 'listeners', message };
}
