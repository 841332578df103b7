import type { Clock } from '../../base/clock.js';
import type { Dialect } from '../../base/dialect.js';
import { ApiError, invalidParam } from '../../base/errors/api-error.js';
import type { AddressPolicy } from '../../net/address/address-policy.js';
import type { AddressGate, OutboundEvent, OutboundPhase } from '../../net/http/guarded-connect.js';
import { Deadline } from '../../base/deadline.js';
import { SafeHttpClient } from '../../net/http/safe-http-client.js';
import { isFault, outboundError, statusError } from '../../base/errors/outbound-error.js';
import type { Resolver } from '../../net/dns/dns-resolver.js';
import { KeptConnection, type TrustOptions } from '../../net/http/secure-connect.js';
import type { Logger } from '../../base/logger.js';
import type { Trace, TraceStep } from '../../base/trace.js';
import { discover, type DiscoveryParts, type DiscoveryRun, secureRandom } from './discovery.js';
import { parseServerName, type ServerName, serverNameError } from './server-name.js';
import { type AskedBy, type Random, WellKnownClient } from './well-known.js';

/** Settings and parts of the client. */
export interface FederationClientOptions extends TrustOptions {
  dialect: Dialect;
  resolver: Resolver;
  policy: AddressPolicy;
  clock: Clock;
  logger: Logger;
  /** Port of servers that name none, 8448 outside of closed networks. */
  defaultPort: number;
  /** Port of well-known documents, 443 outside of closed networks. */
  wellKnownPort: number;
  /** Limit of one whole fetch, discovery included. */
  keyFetchTimeoutMs: number;
  /** Limit for each address. */
  connectTimeoutMs: number;
  maxKeyRecordBytes: number;
  userAgent: string;
  /** Limits connections by their address; absent: no limit. */
  gate?: AddressGate | undefined;
  random?: Random;
}

/** How one fetch is run. */
export interface FetchKeysOptions extends Omit<AskedBy, 'deadline' | 'kept'> {
  trace: Trace;
  signal?: AbortSignal | undefined;
}

/** Share of the whole limit that a silent well-known host may use up. */
const WELL_KNOWN_SHARE = 0.4;

/** Asks other servers for their keys: discovery, verified TLS, one GET, no redirects. */
export class FederationClient {
  readonly #httpClient: SafeHttpClient;
  readonly #discovery: DiscoveryParts;
  readonly #running = new Set<Deadline>();

  constructor(private readonly options: FederationClientOptions) {
    const random = options.random ?? secureRandom;
    this.#httpClient = new SafeHttpClient(options);
    const ofWellKnown = { ...options, random, httpClient: this.#httpClient, port: options.wellKnownPort };
    const wellKnownTimeoutMs = WELL_KNOWN_SHARE * options.keyFetchTimeoutMs;
    this.#discovery = { ...options, random, wellKnown: new WellKnownClient(ofWellKnown), wellKnownTimeoutMs };
  }

  /**
   * The answer of `GET …/key/v2/server` by the server itself, from the first discovered target that answers. The record
   * in it is still to be verified.
   * @throws ApiError 400 for what is not a server name (no packet is sent); otherwise with an `OutboundReason`,
   * the first failure when all targets fail.
   */
  async fetchServerKeys(
    serverName: string,
    { trace, signal, client, isKnown }: FetchKeysOptions,
  ): Promise<Buffer> {
    const name = parseServerName(serverName);
    if (name === null) {
      const sentence = serverNameError(serverName) ?? '';
      trace.step({ name: 'name', status: 'failed', ms: 0, sentence, detail: { reason: 'bad_name' } });
      throw invalidParam('Not a server name');
    }
    trace.step({ name: 'name', status: 'ok', ms: 0, sentence: `${name.text} is a valid server name` });
    const deadline = new Deadline(this.options.keyFetchTimeoutMs, signal);
    const kept = new KeptConnection();
    this.#running.add(deadline);
    try {
      return await this.#fetch(name, { trace, deadline, client, isKnown, kept });
    } finally {
      kept.take();
      this.#running.delete(deadline);
      deadline.close();
    }
  }

  /** What is known of a name without asking anybody; `blocked`: it is an address that the policy refuses. */
  verdict(serverName: string): 'allowed' | 'blocked' | 'invalid' {
    const name = parseServerName(serverName);
    if (name === null) return 'invalid';
    return name.hostKind === 'dns' ? 'allowed' : this.options.policy.verdict(name.host);
  }

  /**
   * Looks the host of a name up ahead of a fetch, so that one whose name servers are silent holds no place among those
   * that fetch. Returns its first address, `null` without one.
   * @throws ApiError `dns_timeout` or `dns_busy`, and `dns_no_address` for a name that does not exist, below which there
   * is nothing either (RFC 8020); other failures are left to the fetch.
   */
  async lookUpHost(
    serverName: string,
    { trace, client }: Pick<FetchKeysOptions, 'trace' | 'client'>,
  ): Promise<string | null> {
    const name = parseServerName(serverName);
    if (name === null) return null;
    if (name.hostKind !== 'dns') return name.host;
    const startMs = performance.now();
    try {
      const { addresses, isAbsent } = await this.options.resolver.lookup(name.host, client);
      if (isAbsent === true) throw outboundError('dns_no_address', `${name.host} does not exist`);
      return addresses[0]?.address ?? null;
    } catch (error) {
      if (!(error instanceof ApiError)) return null;
      if (error.reason !== 'dns_no_address' && !isFault(error, 'busy', 'resolver')) return null;
      const ms = Math.round(performance.now() - startMs);
      const sentence = `${name.host}: ${error.detail ?? error.message}`;
      trace.step({ name: 'address', status: 'failed', ms, sentence, detail: { reason: error.reason ?? '' } });
      throw error;
    }
  }

  /** Forgets the discovery of a server: its document and its addresses are asked for anew. */
  forget(serverName: string): void {
    const name = parseServerName(serverName);
    if (name === null) return;
    const delegated = this.#discovery.wellKnown.forget(name.host);
    for (const host of [name.host, delegated?.host]) {
      if (host === undefined) continue;
      const services = this.options.dialect.srvServices;
      for (const text of [host, ...services.map((service) => `${service}.${host}`)]) {
        this.options.resolver.forget(text);
      }
    }
  }

  /** Cancels fetches under way; they end with reason `aborted`. */
  close(): void {
    for (const deadline of this.#running) deadline.cancel();
  }

  async #fetch(name: ServerName, run: DiscoveryRun): Promise<Buffer> {
    const { targets, srvName, hostHeader, tlsName } = await discover(name, this.#discovery, run);
    let firstError: unknown = null;
    for (const target of targets) {
      let isAsked = false;
      try {
        const { status, headers, body } = await this.#httpClient.fetchBounded({
          ...target,
          hostHeader,
          tlsName,
          path: `${this.options.dialect.pathPrefix}/key/v2/server`,
          maxBodyBytes: this.options.maxKeyRecordBytes,
          deadline: run.deadline,
          looksAtRefused: true,
          client: run.client,
          isKnown: run.isKnown,
          kept: run.kept,
          observe: {
            begin: (phase) => run.trace.begin?.(phase),
            end: (event) => {
              isAsked ||= event.phase === 'response';
              run.trace.step(outboundStep(event, { ...target, tlsName }));
            },
          },
        });
        if (status === 200) return body;
        throw statusError(status, headers.get('error-reason'));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        firstError ??= error;
        // Once a server has been asked, the next target is not tried.
        if (isAsked || run.deadline.isOver) break;
      }
    }
    // Both SRV names are remembered by the first.
    if (srvName !== null) this.options.resolver.forget(`${this.options.dialect.srvServices[0]}.${tlsName}`);
    this.options.logger.debug({ serverName: name.text, srvName }, 'key fetch failed at every target');
    throw firstError;
  }
}

/** What an event of the safe HTTP client is about. */
interface StepSubject {
  host: string;
  port: number;
  tlsName: string;
}

/** A finished phase of a key request as a stage of the trace. A status other than 200 counts as failed. */
function outboundStep(event: OutboundEvent, subject: StepSubject): TraceStep {
  const { phase: name, ms, error } = event;
  const detail = { ...event.detail, target: `${subject.host}:${subject.port}` };
  if (error !== null) {
    const sentence = `${ABOUT[name](subject, detail)}: ${error.detail ?? error.message}`;
    return { name, status: 'failed', ms, sentence, detail: { ...detail, reason: error.reason ?? '' } };
  }
  const isRefused = name === 'response' && event.detail['status'] !== 200;
  return { name, status: isRefused ? 'failed' : 'ok', ms, sentence: DONE[name](subject, detail), detail };
}

type Sentences = Record<OutboundPhase, (subject: StepSubject, detail: OutboundEvent['detail']) => string>;

const ABOUT: Sentences = {
  address: ({ host }) => `Address of ${host}`,
  connect: ({ host, port }) => `Connecting to ${host} port ${port}`,
  tls: ({ host, tlsName }) => `TLS with ${host} as ${tlsName}`,
  response: ({ host, port }) => `Answer of ${host} port ${port}`,
};

const DONE: Sentences = {
  address: ({ host }, detail) => `${host} is at ${detail['addresses']}`,
  connect: (_subject, detail) => `Connected to ${detail['address']} port ${detail['port']}`,
  tls: ({ tlsName }, detail) => `${detail['tlsVersion']}, certificate valid for ${tlsName}`,
  response: (_subject, detail) =>
    `Status ${detail['status']}, ${detail['bytes']} bytes${contentTypeNote(detail['contentType'])}`,
};

function contentTypeNote(contentType: string | number | undefined): string {
  const type = String(contentType ?? '');
  if (/^application\/json\s*(;|$)/i.test(type)) return '';
  return type === '' ? ' without a content type' : `, content type ${type} instead of application/json`;
}
