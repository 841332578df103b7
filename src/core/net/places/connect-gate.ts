import type { Asker } from '../../base/places/asker.js';
import type { Rank } from '../../base/places/place-ticket.js';
import { onAbort, type Deadline } from '../../base/deadline.js';
import { addressGroup } from '../address/client-asker.js';
import { DestinationPlaces } from './destination-places.js';
import type { SlowStart } from './slow-start.js';

/** On whose behalf, and for how long, one waits at the gate. */
export interface GateRequest {
  asker: Asker | undefined;
  deadline: Deadline;
  /** As of the place that is held for it; 1 when absent. */
  rank?: Rank | undefined;
}

const NOBODY: Asker = { key: '', question: '' };

/** Connections open at once to each destination address, whatever name led there. */
export class ConnectGate {
  readonly #places: DestinationPlaces;

  constructor(private readonly addresses: SlowStart) {
    this.#places = new DestinationPlaces({
      addresses,
      total: Infinity,
      perAsker: Infinity,
      perQuestion: Infinity,
      perDomain: Infinity,
      // Who waits here holds a place of its own elsewhere, and has a deadline.
      maxWaiting: Infinity,
    });
  }

  /**
   * Waits until the address takes one more connection; what is returned says that it is closed.
   * @throws ApiError `address_busy` when it does not by the deadline.
   */
  async enter(address: string, { asker = NOBODY, deadline, rank = 1 }: GateRequest): Promise<() => void> {
    const group = addressGroup(address);
    const ticket = this.#places.enter({ asker, rank, address: group, domain: '', host: '' });
    const unlink = onAbort(deadline.signal, ticket.giveUp);
    const isAdmitted = await ticket.admitted;
    unlink();
    if (!isAdmitted || deadline.signal.aborted) {
      ticket.leave();
      throw deadline.error('address_busy', `${address}: others wait for it`);
    }
    return ticket.leave;
  }

  /** Notes what came of the addresses that were connected to for one purpose. */
  settle(contacts: Contacts): void {
    for (const [group, hasAnswered] of contacts.outcomes) {
      if (hasAnswered) this.addresses.answered(group);
      else this.addresses.failed(group);
    }
  }
}

/**
 * The addresses connected to for one purpose, and whether they answered anything: one that refuses the connection for
 * a document and takes the one for keys has answered.
 */
export class Contacts {
  readonly outcomes = new Map<string, boolean>();

  /** A connection is tried. */
  tried(address: string): void {
    const group = addressGroup(address);
    this.outcomes.set(group, this.outcomes.get(group) ?? false);
  }

  /** Something was answered over a connection. */
  answered(address: string): void {
    this.outcomes.set(addressGroup(address), true);
  }
}
