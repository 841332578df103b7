import { errorCode } from '../../base/errors/error-code.js';
import type { ResolverOptions } from 'node:dns';
import { Resolver as CaresResolver } from 'node:dns/promises';

import { MINUTE_MS, SECOND_MS } from '../../base/clock.js';

/** Whom to ask, and how patiently. */
export interface AskingPlan {
  /** As `address`, `address:port` or `[address]:port`. */
  servers: readonly string[];
  /** How often each is asked. */
  attempts: number;
  /** Patience with each but the last attempt, ms; `null`: our default. */
  timeoutMs: number | null;
  /** Whether look-ups begin with another server each time. */
  rotate: boolean;
}

/** Puts the question over a channel to one server. */
export type AskServer<T> = (resolver: CaresResolver) => Promise<T>;

const DEFAULT_PATIENCE_MS = SECOND_MS;
const LEAST_PATIENCE_MS = 100;
/** Longer than any patience: how long an answer is waited for is ours to say. */
const CHANNEL: ResolverOptions = { timeout: MINUTE_MS, tries: 1 };
const MAX_IDLE_CHANNELS = 64;
/** Errors that another server, or the same one asked again, may not give. */
const NEXT_SERVER: ReadonlySet<string> = new Set([
  'ESERVFAIL',
  'EREFUSED',
  'ENOTIMP',
  'EFORMERR',
  'EBADRESP',
]);
const NO_ANSWER: ReadonlySet<string> = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED']);

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
  #rotation = 0;
  #isClosed = false;

  /** Throws on a server that is no address. */
  static check(servers: readonly string[]): void {
    new CaresResolver().setServers(servers);
  }

  /**
   * The first answer, or the last error, within `limitMs` altogether. `ask` rejects with c-ares' errors; a name that
   * does not exist is such an answer.
   */
  async ask<T>(plan: AskingPlan, limitMs: number, ask: AskServer<T>): Promise<T> {
    const endMs = performance.now() + limitMs;
    const order = this.#order(plan);
    const attempts = order.length * plan.attempts;
    const patienceMs = Math.min(plan.timeoutMs ?? DEFAULT_PATIENCE_MS, limitMs / attempts);
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
    const resolver = this.#channelTo(server);
    this.#running.add(resolver);
    // c-ares looks at its clock once a second only, and would keep silent servers waited for.
    const timer = setTimeout(() => resolver.cancel(), patienceMs);
    try {
      const answer = await ask(resolver);
      this.#answered(server, resolver);
      return answer;
    } catch (error) {
      if (isSilence(error)) this.#silences.set(server, (this.#silences.get(server) ?? 0) + 1);
      else this.#answered(server, resolver);
      throw error;
    } finally {
      clearTimeout(timer);
      this.#running.delete(resolver);
    }
  }

  #channelTo(server: string): CaresResolver {
    const resolver = this.#idle.pop() ?? new CaresResolver(CHANNEL);
    // A server that c-ares knows is given less time by what its answers took: it has to be a new one.
    resolver.setServers([]);
    resolver.setServers([server]);
    return resolver;
  }

  #answered(server: string, resolver: CaresResolver): void {
    this.#silences.delete(server);
    if (this.#idle.length < MAX_IDLE_CHANNELS) this.#idle.push(resolver);
  }

  #order({ servers, rotate }: AskingPlan): string[] {
    for (const known of this.#silences.keys()) if (!servers.includes(known)) this.#silences.delete(known);
    const start = rotate ? this.#rotation++ % servers.length : 0;
    const turned = [...servers.slice(start), ...servers.slice(0, start)];
    return turned.sort((a, b) => (this.#silences.get(a) ?? 0) - (this.#silences.get(b) ?? 0));
  }
}
