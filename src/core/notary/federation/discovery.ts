import { randomInt } from 'node:crypto';

import type { Dialect } from '../../base/dialect.js';
import { ApiError } from '../../base/errors/api-error.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import type { Resolver } from '../../net/dns/dns-resolver.js';
import type { SrvRecord } from '../../net/dns/dns-channels.js';
import type { OutboundRequest } from '../../net/http/safe-http-client.js';
import type { Trace, TraceStep } from '../../base/trace.js';
import type { ServerName } from './server-name.js';
import type { AskedBy, Random, WellKnownClient } from './well-known.js';

/** Where to connect; `host` is a name or an address, without brackets. */
export type DiscoveryTarget = Pick<OutboundRequest, 'host' | 'port'>;

/** What discovery works with. */
export interface DiscoveryParts {
  wellKnown: WellKnownClient;
  resolver: Resolver;
  dialect: Dialect;
  random: Random;
  defaultPort: number;
  wellKnownTimeoutMs: number;
}

/** One discovery under way. */
export interface DiscoveryRun extends AskedBy {
  trace: Trace;
}

/**
 * Finds where a server is reached, by steps 1 to 6 of the Matrix server-server API, "Resolving server names". Reports
 * the stages `well-known` and `srv`, skipped ones included. The certificate must be for `tlsName`, never for an SRV target.
 * @throws ApiError `dns_failure`/`dns_timeout` when SRV cannot be asked (a guess would let those who drop
 * DNS packets choose the port), `dns_no_service` for the SRV target `.`.
 */
export async function discover(name: ServerName, parts: DiscoveryParts, run: DiscoveryRun) {
  const effective = (await delegation(name, parts, run)) ?? name;
  const located = await locate(effective, parts, run);
  return { ...located, hostHeader: effective.text, tlsName: effective.host };
}

async function delegation(
  name: ServerName,
  { wellKnown, wellKnownTimeoutMs }: DiscoveryParts,
  run: DiscoveryRun,
): Promise<ServerName | null> {
  if (isExplicit(name)) {
    const sentence = `${name.text} ${explicitReason(name)}, so no delegation document is requested`;
    run.trace.step(skipped('well-known', sentence));
    return null;
  }
  run.trace.begin?.('well-known');
  const startMs = performance.now();
  const { delegated, sentence, reason, cached } = await run.deadline.within(wellKnownTimeoutMs, (deadline) =>
    wellKnown.find(name.host, { ...run, deadline }),
  );
  // Look-ups of another name may take long: nobody's connection waits for them.
  if (delegated?.host !== name.host) run.kept?.take();
  run.trace.step({
    name: 'well-known',
    // Never more than a warning: discovery goes on with the name itself.
    status: reason === null || reason === 'http_not_found' ? 'ok' : 'warning',
    ms: elapsed(startMs),
    sentence: cached ? `${sentence} (remembered)` : sentence,
    detail: delegated === null ? { reason: reason ?? '' } : { delegatedTo: delegated.text },
  });
  return delegated;
}

/** The targets in the order to try, and the SRV name that gave them. */
async function locate(name: ServerName, parts: DiscoveryParts, run: DiscoveryRun) {
  const { host } = name;
  if (isExplicit(name)) {
    run.trace.step(skipped('srv', `${name.text} ${explicitReason(name)}, so SRV is not queried`));
    return { srvName: null, targets: [{ host, port: name.port ?? parts.defaultPort }] };
  }
  const found = await services(host, parts, run);
  return found ?? { srvName: null, targets: [{ host, port: parts.defaultPort }] };
}

/** The targets of the current SRV name, or else of the deprecated one; null when neither has records. */
async function services(
  host: string,
  { resolver, random, dialect }: DiscoveryParts,
  { deadline, trace, client }: DiscoveryRun,
): Promise<{ srvName: string; targets: DiscoveryTarget[] } | null> {
  trace.begin?.('srv');
  const startMs = performance.now();
  const ended = (status: 'ok' | 'failed', sentence: string, detail: TraceStep['detail'] = {}) =>
    trace.step({ name: 'srv', status, ms: elapsed(startMs), sentence, detail });
  const names = dialect.srvServices.map((service) => `${service}.${host}`);
  const [current, deprecated] = names;
  try {
    const found = await deadline.race(resolver.srv(names, client), 'dns_timeout', names.join(' and '));
    // It is spelled as in the look-up that was remembered.
    const isCurrent = found !== 'none' && found.name?.startsWith(dialect.srvServices[0]) === true;
    if (!isCurrent) ended('ok', `${current} has no SRV records`);
    if (found === 'none') {
      ended('ok', `${deprecated} has no SRV records`);
      return null;
    }
    const { name: srvName = '', records } = found;
    const usable = records.filter(({ target, port }) => target !== '.' && port > 0);
    if (usable.length === 0)
      throw outboundError('dns_no_service', `${srvName} says the service does not exist`);
    const targets = orderSrvRecords(usable, random).map(({ target, port }) => ({ host: target, port }));
    const text = targets.map((each) => `${each.host}:${each.port}`).join(' ');
    ended('ok', `${srvName} points to ${text}`, { targets: text });
    if (isCurrent) trace.step(skipped('srv', `${deprecated} is not used: the current form exists`));
    return { srvName, targets };
  } catch (error) {
    if (error instanceof ApiError)
      ended('failed', error.detail ?? error.message, { reason: error.reason ?? '' });
    throw error;
  }
}

function isExplicit(name: ServerName): boolean {
  return name.hostKind !== 'dns' || name.port !== null;
}

function explicitReason(name: ServerName): string {
  return name.hostKind === 'dns' ? 'has a port' : 'is an address';
}

function skipped(name: string, sentence: string): TraceStep {
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
