import { SECOND_MS } from '../../base/clock.js';
import { onAbort, type Deadline } from '../../base/deadline.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import { FairQueue } from '../../base/fair-queue.js';
import type { Client } from '../../base/client.js';
import { entryCache } from '../../base/runtime/entry-cache.js';
import { addressGroup } from '../address/address-client.js';

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
    const unlink = onAbort(deadline.signal, () => (ticket.isRunning() ? undefined : ticket.leave()));
    const isAdmitted = await ticket.admitted;
    unlink();
    if (!isAdmitted) throw deadline.error('address_busy', `${address}: too many connections to it are open`);
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
    if (nowMs < state.pausedUntilMs) throw outboundError('address_busy', `${group}: it only failed lately`);
    this.#addresses.set(group, { ...state, pausedUntilMs: nowMs + PAUSE_MS });
  }

  #find(group: string): Address {
    return this.#addresses.get(group) ?? { answers: 0, failures: 0, pausedUntilMs: 0 };
  }
}
