import net from 'node:net';

import type { Client } from '../../base/client.js';
import type { AddressPolicy } from '../address/address-policy.js';
import { abortable, type Deadline } from '../../base/deadline.js';
import { isIpLiteral, isSameAddress } from '../address/ip-address.js';
import {
  blockedLiteral,
  blockedName,
  outboundError,
  toOutboundError,
} from '../../base/errors/outbound-error.js';
import type { Resolver } from '../dns/dns-resolver.js';
import type { ResolvedAddress } from '../dns/system-files.js';

/** What decides where a connection may go. */
export interface Guard {
  resolver: Resolver;
  policy: AddressPolicy;
}

/** Limits of one series of connection attempts. */
export interface ConnectLimits {
  deadline: Deadline;
  /** Limit for each single address. */
  connectTimeoutMs: number;
  /** Waits until an address may be connected to; what it gives is called when that connection is closed. */
  enter?: ((address: string) => Promise<() => void>) | undefined;
}

const MAX_ATTEMPTS = 4;

/**
 * Addresses a host may be connected at. A literal is judged without DNS; a name is resolved once and refused
 * as a whole when one of its addresses is blocked. `host` comes without brackets.
 * @throws ApiError 403 `address_blocked` for a literal; 502 `address_blocked`, `dns_no_address`,
 * `dns_failure`, `dns_timeout` or `dns_busy` for a name.
 */
export async function judgedAddresses(
  host: string,
  guard: Guard,
  client?: Client,
): Promise<readonly ResolvedAddress[]> {
  if (isIpLiteral(host)) {
    const why = guard.policy.whyBlocked(host);
    if (why !== null) throw blockedLiteral(host, why);
    return [{ address: host, family: net.isIPv6(host) ? 6 : 4 }];
  }
  const { addresses } = await guard.resolver.lookup(host, client);
  if (addresses.length === 0) throw outboundError('dns_no_address', `${host} has no address`);
  for (const { address } of addresses) {
    const why = guard.policy.whyBlocked(address);
    if (why !== null) throw blockedName(host, address, why);
  }
  return addresses;
}

/**
 * Connects to the first of the judged addresses that accepts, and to nothing else.
 * @throws ApiError with the first failure when none does.
 */
export async function connectJudged(
  addresses: readonly ResolvedAddress[],
  port: number,
  limits: ConnectLimits,
): Promise<net.Socket> {
  let firstError: unknown = null;
  for (const address of addresses.slice(0, MAX_ATTEMPTS)) {
    try {
      return await connectOne(address, port, limits);
    } catch (error) {
      firstError ??= error;
      if (limits.deadline.signal.aborted) break;
    }
  }
  throw firstError;
}

async function connectOne(target: ResolvedAddress, port: number, limits: ConnectLimits): Promise<net.Socket> {
  const leave = await limits.enter?.(target.address);
  try {
    const socket = await openSocket(target, port, limits);
    if (leave !== undefined) socket.once('close', leave);
    return socket;
  } catch (error) {
    leave?.();
    throw error;
  }
}

async function openSocket(target: ResolvedAddress, port: number, limits: ConnectLimits): Promise<net.Socket> {
  const deadline = limits.deadline.within(limits.connectTimeoutMs);
  const where = `${target.address} port ${port}`;
  try {
    return await abortable<net.Socket>(deadline.signal, (resolve, reject) => {
      const socket = net.connect({ host: target.address, port, autoSelectFamily: false, noDelay: true });
      const fail = (error: unknown): void => {
        socket.destroy();
        reject(toOutboundError(error, 'host_unreachable'));
      };
      socket.on('error', fail);
      socket.once('connect', () => {
        if (isSameAddress(socket.remoteAddress ?? '', target.address)) resolve(socket);
        else
          fail(outboundError('address_blocked', `connected to ${socket.remoteAddress} instead of ${where}`));
      });
      return () => fail(deadline.error('timeout_connect', where));
    });
  } finally {
    deadline.close();
  }
}
