import type { ResolverOptions } from 'node:dns';
import { Resolver as CaresResolver } from 'node:dns/promises';

import { MINUTE_MS, SECOND_MS } from '../../base/clock.js';
import { errorCode } from '../../base/errors/error-code.js';

/** Puts the question over a channel to one server. */
export type AskServer<T> = (resolver: CaresResolver) => Promise<T>;

/** How often each server is asked, and how long each but the last time is waited. */
const ATTEMPTS = 2;
const PATIENCE_MS = SECOND_MS;
const LEAST_PATIENCE_MS = 100;
/** Longer than any patience: how long an answer is waited for is ours to say. */
const CHANNEL: ResolverOptions = { timeout: MINUTE_MS, tries: 1 };
const MAX_IDLE_CHANNELS = 64;
/** Errors that another server, or the same one asked again, may not give. */
const NEXT_SERVER = new Set(['ESERVFAIL', 'EREFUSED', 'ENOTIMP', 'EFORMERR', 'EBADRESP']);
const NO_ANSWER = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED']);

/** Whether an error says that the server did not answer at all. */
export const isSilence = (error: unknown): boolean => NO_ANSWER.has(errorCode(error));

/**
 * Asks DNS servers one after another, those first that answer. Each attempt has a c-ares channel to itself: it holds
 * one socket, its patience is what we say, and it can be ended. Channels that were answered are used again, since a new
 * one reads the files of the system.
 */
export class NameServers {
  /** Silences of servers since their last answer. */
  readonly #silences = new Map<string, number>();
  readonly #running = new Set<CaresResolver>();
  readonly #idle: CaresResolver[] = [];
  #isClosed = false;

  /**
   * The first answer, or the last error, within `limitMs` altogether. `ask` rejects with c-ares' errors; a name that
   * does not exist is such an answer.
   */
  async ask<T>(servers: readonly string[], limitMs: number, ask: AskServer<T>): Promise<T> {
    const endMs = performance.now() + limitMs;
    const order = servers.toSorted((a, b) => (this.#silences.get(a) ?? 0) - (this.#silences.get(b) ?? 0));
    const attempts = order.length * ATTEMPTS;
    const patienceMs = Math.min(PATIENCE_MS, limitMs / attempts);
    const refused = new Set<string>();
    for (let attempt = 0; ; attempt += 1) {
      const server = order[attempt % order.length] ?? '';
      const leftMs = endMs - performance.now();
      const isLast = attempt === attempts - 1;
      try {
        return await this.#askOne(server, isLast ? leftMs : Math.min(leftMs, patienceMs), ask);
      } catch (error) {
        if (!isSilence(error) && !NEXT_SERVER.has(errorCode(error))) throw error;
        if (!isSilence(error)) refused.add(server);
        const isOver = isLast || endMs - performance.now() < LEAST_PATIENCE_MS || this.#isClosed;
        if (isOver || refused.size === order.length) throw error;
      }
    }
  }

  /** Ends questions under way; they end as cancelled. */
  close(): void {
    this.#isClosed = true;
    for (const resolver of this.#running) resolver.cancel();
  }

  async #askOne<T>(server: string, patienceMs: number, ask: AskServer<T>): Promise<T> {
    const resolver = this.#idle.pop() ?? new CaresResolver(CHANNEL);
    // A server that c-ares knows is given less time by what its answers took: it has to be a new one.
    resolver.setServers([]);
    resolver.setServers([server]);
    this.#running.add(resolver);
    // c-ares looks at its clock once a second only, and would keep silent servers waited for.
    const timer = setTimeout(() => resolver.cancel(), patienceMs);
    let isAnswered = true;
    try {
      return await ask(resolver);
    } catch (error) {
      isAnswered = !isSilence(error);
      throw error;
    } finally {
      clearTimeout(timer);
      this.#running.delete(resolver);
      if (isAnswered) this.#silences.delete(server);
      else this.#silences.set(server, (this.#silences.get(server) ?? 0) + 1);
      if (isAnswered && this.#idle.length < MAX_IDLE_CHANNELS) this.#idle.push(resolver);
    }
  }
}
