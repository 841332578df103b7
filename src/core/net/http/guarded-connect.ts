import type { EventEmitter } from 'node:events';
import net from 'node:net';

import { FairQueue, type Client } from '../../base/fair-queue.js';
import type { AddressPolicy } from '../address/address-policy.js';
import { abortable, type Deadline, onAbort } from '../../base/deadline.js';
import { isIpLiteral, isSameAddress, addressGroup } from '../address/ip-address.js';
import {
  blockedLiteral,
  blockedName,
  outboundError,
  type OutboundReason,
  toOutboundError,
} from '../../base/errors/outbound-error.js';
import type { Resolver } from '../dns/dns-resolver.js';
import type { ResolvedAddress } from '../dns/system-files.js';
import { ApiError } from '../../base/errors/api-error.js';
import { SECOND_MS } from '../../base/clock.js';
import { entryCache } from '../../base/runtime/cache.js';

/** Phases of a request, in order. */
export type OutboundPhase = 'address' | 'connect' | 'tls' | 'response';

/** One finished phase. */
export interface OutboundEvent {
  phase: OutboundPhase;
  ms: number;
  /** Null when the phase went well. */
  error: ApiError | null;
  detail: Record<string, string | number>;
}

/** Told about each phase of a request as it begins and ends, failures included. */
export interface OutboundObserver {
  begin(phase: OutboundPhase): void;
  end(event: OutboundEvent): void;
}

/**
 * Runs one phase of a request, under the eyes of an observer if there is one; `detail` is what the trace says about its
 * result. Rejects as the work does.
 */
export async function observedPhase<T>(
  observe: OutboundObserver | undefined,
  phase: OutboundPhase,
  work: { run: () => Promise<T>; detail: (result: T) => OutboundEvent['detail'] },
): Promise<T> {
  if (observe === undefined) return work.run();
  observe.begin(phase);
  const startMs = performance.now();
  const elapsedMs = (): number => Math.round(performance.now() - startMs);
  try {
    const result = await work.run();
    observe.end({ phase, ms: elapsedMs(), error: null, detail: work.detail(result) });
    return result;
  } catch (error) {
    if (error instanceof ApiError) observe.end({ phase, ms: elapsedMs(), error, detail: {} });
    throw error;
  }
}

/** Fails when the stream closes, until the returned function is called. */
export function failOnClose(
  stream: EventEmitter,
  fail: (error: ApiError) => void,
  [reason, detail]: readonly [reason: OutboundReason, detail: string],
): () => void {
  const closed = (): void => fail(outboundError(reason, detail));
  stream.on('close', closed);
  return () => void stream.off('close', closed);
}

/** Answers ahead of the final one (1xx). */
const MAX_INFORMATIONAL = 16;

/** Endless 1xx answers and protocol switches are no way to keep a request open. */
export function refuseSideTracks(request: EventEmitter, fail: (error: ApiError) => void): void {
  let informational = 0;
  request.on('information', () => {
    informational += 1;
    if (informational > MAX_INFORMATIONAL)
      fail(outboundError('bad_http', 'too many informational responses'));
  });
  request.once('upgrade', () => fail(outboundError('bad_http', 'unexpected protocol upgrade')));
}

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
      if (limits.deadline.isOver) break;
    }
  }
  throw firstError;
}

async function connectOne(target: ResolvedAddress, port: number, limits: ConnectLimits): Promise<net.Socket> {
  const leave = await limits.enter?.(target.address);
  try {
    const socket = await limits.deadline.within(limits.connectTimeoutMs, (limit) =>
      openSocket(target, port, limit),
    );
    if (leave !== undefined) socket.on('close', leave);
    return socket;
  } catch (error) {
    leave?.();
    throw error;
  }
}

function openSocket(target: ResolvedAddress, port: number, deadline: Deadline): Promise<net.Socket> {
  const where = `${target.address} port ${port}`;
  return abortable<net.Socket>(deadline, (resolve, reject) => {
    const socket = net.connect({ host: target.address, port, autoSelectFamily: false, noDelay: true });
    const fail = (error: unknown): void => {
      socket.destroy();
      reject(toOutboundError(error, 'host_unreachable'));
    };
    socket.on('error', fail);
    socket.once('connect', () => {
      const { remoteAddress = '' } = socket;
      if (remoteAddress === target.address || isSameAddress(remoteAddress, target.address)) resolve(socket);
      else fail(outboundError('address_blocked', `connected to ${remoteAddress} instead of ${where}`));
    });
    return () => fail(deadline.error('timeout_connect', where));
  });
}

/** Who connects, and for how long it waits. */
export interface GateRequest {
  client: Client | undefined;
  deadline: Deadline;
  /** Whether what is asked for has answered before: then a pause does not hold it up. */
  isKnown: boolean;
  /** Whether a failure says nothing of the server: it may well have nothing at this port. */
  isOptional: boolean;
}

interface Address {
  answers: number;
  /** Connections in a row that nothing was answered over. */
  failures: number;
  pausedUntilMs: number;
}

const REMEMBERED_ADDRESSES = 10_000;
/** After so many failures in a row an address is tried once in each pause. */
const FREE_FAILURES = 8;
const PAUSE_MS = 5 * SECOND_MS;

/**
 * Connections open at once to each address (IPv6: its /64), whatever name or delegation led there. An address that only
 * fails is tried seldom, so that names which cost nothing send nobody our connections.
 */
export class AddressGate {
  readonly #queue: FairQueue;
  readonly #addresses = entryCache<Address>(REMEMBERED_ADDRESSES);

  constructor(maxConnectionsPerAddress: number) {
    // Each connection belongs to a fetch, which has a slot and a deadline of its own.
    this.#queue = new FairQueue({
      maxRunning: Infinity,
      maxRunningPerGroup: maxConnectionsPerAddress,
      maxWaiting: Infinity,
    });
  }

  /**
   * Waits until the address takes one more connection; call the returned function when that is closed.
   * @throws ApiError `address_busy` while the address is paused, or when others hold it until the deadline.
   */
  async enter(address: string, { client, deadline, isKnown, isOptional }: GateRequest): Promise<() => void> {
    const group = addressGroup(address);
    if (!isKnown) this.#refusePaused(group);
    const ticket = this.#queue.enter({ client, group });
    const unlink = onAbort(deadline, () => (ticket.isRunning() ? undefined : ticket.leave()));
    const isAdmitted = await ticket.admitted;
    unlink();
    if (!isAdmitted) throw deadline.error('address_busy', `${address}: too many open connections`);
    const { answers } = this.#find(group);
    return () => {
      ticket.leave();
      const now = this.#find(group);
      if (!isOptional && now.answers === answers)
        this.#addresses.set(group, { ...now, failures: now.failures + 1 });
    };
  }

  /** Something was answered over a connection to the address. */
  answered(address: string): void {
    const group = addressGroup(address);
    this.#addresses.set(group, { answers: this.#find(group).answers + 1, failures: 0, pausedUntilMs: 0 });
  }

  #refusePaused(group: string): void {
    const state = this.#find(group);
    if (state.failures < FREE_FAILURES) return;
    const nowMs = performance.now();
    if (nowMs < state.pausedUntilMs)
      throw outboundError('address_busy', `${group}: paused, because all recent connections failed`);
    this.#addresses.set(group, { ...state, pausedUntilMs: nowMs + PAUSE_MS });
  }

  #find(group: string): Address {
    return this.#addresses.get(group) ?? { answers: 0, failures: 0, pausedUntilMs: 0 };
  }
}
