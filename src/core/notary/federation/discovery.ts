import { randomInt } from 'node:crypto';

import type { Dialect } from '../../base/dialect.js';
import { ApiError } from '../../base/errors/api-error.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import type { Resolver } from '../../net/dns/dns-resolver.js';
import type { SrvRecord } from '../../net/dns/dns-channels.js';
import type { TraceStep } from '../../base/trace.js';
import type { ServerName } from './server-name.js';
import type { AskedBy, Random, WellKnownClient } from './well-known.js';

/** Stages of a key fetch, in the order they are reported. */
export type FetchStepName =
  | 'name'
  | 'well-known'
  | 'srv'
  | 'address'
  | 'connect'
  | 'tls'
  | 'response'
  | 'record';

/** One stage, for operators: what was tried, how it ended, or why it was not needed. */
export interface FetchStep extends TraceStep {
  name: FetchStepName;
}

/** Receives the stages of one fetch as they end, and hears of those that take a while as they begin. */
export interface FetchTrace {
  begin?(name: FetchStepName): void;
  step(step: FetchStep): void;
}

/** Which rule named the targets; `well-known-…` when the document delegated first. */
export type DiscoveryRule = 'literal' | 'port' | 'srv' | 'srv-deprecated' | 'default';
export type DiscoveryVia = DiscoveryRule | `well-known-${DiscoveryRule}`;

/** Where to connect. */
export interface DiscoveryTarget {
  /** Name or address, without brackets. */
  host: string;
  port: number;
}

/** Outcome of discovery: targets in the order to try, and what holds for each of them. */
export interface Discovery {
  via: DiscoveryVia;
  hostHeader: string;
  /** Name or address that the certificate must be for, never an SRV target. */
  tlsName: string;
  /** Server name from the well-known document, null without one. */
  delegatedTo: string | null;
  /** SRV name that gave the targets, null without one. */
  srvName: string | null;
  targets: readonly DiscoveryTarget[];
}

/** What discovery works with. */
export interface DiscovererOptions {
  wellKnown: WellKnownClient;
  resolver: Resolver;
  dialect: Dialect;
  random: Random;
  defaultPort: number;
  wellKnownTimeoutMs: number;
}

/** One discovery under way. */
export interface DiscoveryRun extends AskedBy {
  trace: FetchTrace;
}

interface Located {
  rule: DiscoveryRule;
  srvName: string | null;
  targets: readonly DiscoveryTarget[];
}

/** Server discovery, steps 1 to 6 (Matrix server-server API, "Resolving server names"). */
export class Discoverer {
  constructor(private readonly options: DiscovererOptions) {}

  /**
   * Finds where a server is reached. Reports the stages `well-known` and `srv`, skipped ones included.
   * @throws ApiError `dns_failure`/`dns_timeout` when SRV cannot be asked (guessing on would let whoever drops
   * DNS packets choose the port), `dns_no_service` for the SRV target `.`.
   */
  async discover(name: ServerName, run: DiscoveryRun): Promise<Discovery> {
    const delegated = await this.#delegation(name, run);
    const effective = delegated ?? name;
    const { rule, srvName, targets } = await this.#locate(effective, run);
    return {
      via: delegated === null ? rule : `well-known-${rule}`,
      hostHeader: effective.text,
      tlsName: effective.host,
      delegatedTo: delegated?.text ?? null,
      srvName,
      targets,
    };
  }

  async #delegation(name: ServerName, run: DiscoveryRun): Promise<ServerName | null> {
    if (isExplicit(name)) {
      run.trace.step(
        skipped('well-known', `${name.text} ${explicitReason(name)}, so no delegation document is requested`),
      );
      return null;
    }
    run.trace.begin?.('well-known');
    const startMs = performance.now();
    const limit = run.deadline.within(this.options.wellKnownTimeoutMs);
    try {
      const by = { ...run, deadline: limit };
      const { delegated, sentence, reason, cached } = await this.options.wellKnown.find(name.host, by);
      run.trace.step({
        name: 'well-known',
        // Never more than a warning: discovery goes on with the name itself.
        status: reason === null || reason === 'http_not_found' ? 'ok' : 'warning',
        ms: elapsed(startMs),
        sentence: cached ? `${sentence} (remembered)` : sentence,
        detail: delegated === null ? { reason: reason ?? '' } : { delegatedTo: delegated.text },
      });
      return delegated;
    } finally {
      limit.close();
    }
  }

  async #locate(name: ServerName, run: DiscoveryRun): Promise<Located> {
    const { defaultPort } = this.options;
    if (isExplicit(name)) {
      run.trace.step(skipped('srv', `${name.text} ${explicitReason(name)}, so SRV is not queried`));
      const rule = name.hostKind === 'dns' ? 'port' : 'literal';
      return { rule, srvName: null, targets: [{ host: name.host, port: name.port ?? defaultPort }] };
    }
    return (
      (await this.#locateBySrv(name, run)) ?? {
        rule: 'default',
        srvName: null,
        targets: [{ host: name.host, port: defaultPort }],
      }
    );
  }

  async #locateBySrv(name: ServerName, run: DiscoveryRun): Promise<Located | null> {
    const [current, deprecated] = this.options.dialect.srvServices;
    const first = await this.#srvTargets(`${current}.${name.host}`, run);
    if (first !== null) {
      run.trace.step(skipped('srv', `${deprecated}.${name.host} is not queried: the current form exists`));
      return { rule: 'srv', srvName: `${current}.${name.host}`, targets: first };
    }
    const second = await this.#srvTargets(`${deprecated}.${name.host}`, run);
    if (second === null) return null;
    return { rule: 'srv-deprecated', srvName: `${deprecated}.${name.host}`, targets: second };
  }

  /** Null when the name has no SRV records. */
  async #srvTargets(
    srvName: string,
    { deadline, trace, client }: DiscoveryRun,
  ): Promise<readonly DiscoveryTarget[] | null> {
    trace.begin?.('srv');
    const startMs = performance.now();
    try {
      const answer = this.options.resolver.srv(srvName, client);
      const records = await deadline.race(answer, 'dns_timeout', srvName);
      if (records === 'none') {
        trace.step({
          name: 'srv',
          status: 'ok',
          ms: elapsed(startMs),
          sentence: `${srvName} has no SRV records`,
        });
        return null;
      }
      const targets = this.#targetsOf(srvName, records);
      const text = targets.map(({ host, port }) => `${host}:${port}`).join(' ');
      const sentence = `${srvName} points to ${text}`;
      trace.step({ name: 'srv', status: 'ok', ms: elapsed(startMs), sentence, detail: { targets: text } });
      return targets;
    } catch (error) {
      if (error instanceof ApiError) {
        const sentence = `${srvName}: ${error.detail ?? error.message}`;
        const detail = { reason: error.reason ?? '' };
        trace.step({ name: 'srv', status: 'failed', ms: elapsed(startMs), sentence, detail });
      }
      throw error;
    }
  }

  #targetsOf(srvName: string, records: readonly SrvRecord[]): DiscoveryTarget[] {
    const usable = records.filter(({ target, port }) => target !== '.' && port > 0);
    if (usable.length === 0)
      throw outboundError('dns_no_service', `${srvName} says the service does not exist`);
    return orderSrvRecords(usable, this.options.random).map(({ target, port }) => ({ host: target, port }));
  }
}

function isExplicit(name: ServerName): boolean {
  return name.hostKind !== 'dns' || name.port !== null;
}

function explicitReason(name: ServerName): string {
  return name.hostKind === 'dns' ? 'has a port' : 'is an address';
}

function skipped(name: 'well-known' | 'srv', sentence: string): Parameters<FetchTrace['step']>[0] {
  return { name, status: 'skipped', ms: 0, sentence };
}

const elapsed = (startMs: number): number => Math.round(performance.now() - startMs);

const STEPS = 2 ** 40;

/** Unpredictable to those outside. */
export const secureRandom: Random = () => randomInt(STEPS) / STEPS;

/** Enough for any honest domain; a hostile answer may hold thousands. */
const MAX_TARGETS = 16;

/**
 * Order in which SRV targets are tried (RFC 2782): by priority, within one priority drawn by weight, records of
 * weight 0 last. At most 16.
 */
export function orderSrvRecords(records: readonly SrvRecord[], random: Random): SrvRecord[] {
  // The largest of the weight-th roots of random numbers is each record's with a chance in proportion to its weight.
  return records
    .map((record) => ({ record, draw: record.weight === 0 ? -random() : random() ** (1 / record.weight) }))
    .toSorted((a, b) => a.record.priority - b.record.priority || b.draw - a.draw)
    .slice(0, MAX_TARGETS)
    .map(({ record }) => record);
}
