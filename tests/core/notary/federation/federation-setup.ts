import { SVC_DIALECT, type Dialect } from '../../../../src/core/base/dialect.js';
import { ApiError } from '../../../../src/core/base/errors/api-error.js';
import { FederationClient } from '../../../../src/core/notary/federation/federation-client.js';
import type { TraceStep } from '../../../../src/core/base/trace.js';
import {
  AddressPolicy,
  compileAddressRanges,
  DEFAULT_IP_RANGE_BLACKLIST,
} from '../../../../src/core/net/address/address-policy.js';
import { testResolver } from '../../../support/test-resolver.js';
import type { AddressGate } from '../../../../src/core/net/http/guarded-connect.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { ManualClock } from '../../../support/manual-clock.js';

/** The default list with loopback opened, as an operator would for a test network. */
export function testPolicy(whitelist: string[] = ['127.0.0.1', '::1']): AddressPolicy {
  return new AddressPolicy({
    blacklist: compileAddressRanges(DEFAULT_IP_RANGE_BLACKLIST),
    whitelist: compileAddressRanges(whitelist),
  });
}

export interface TestClientOptions {
  caPem: string;
  /** Address of the DNS server; the system's look-up without one. */
  dns?: string;
  hosts?: Record<string, string[]>;
  /** How many connections each address takes; any number when absent. */
  gate?: AddressGate;
  dialect?: Dialect;
  clock?: ManualClock;
  whitelist?: string[];
  defaultPort?: number;
  wellKnownPort?: number;
  keyFetchTimeoutMs?: number;
  connectTimeoutMs?: number;
  maxKeyRecordBytes?: number;
  random?: () => number;
}

/** A client wired as the server wires it, with ports and limits fit for tests. */
export function createTestClient(options: TestClientOptions): {
  client: FederationClient;
  clock: ManualClock;
} {
  const clock = options.clock ?? new ManualClock();
  const resolver = testResolver({
    clock,
    servers: options.dns === undefined ? [] : [options.dns],
    hosts: new Map(Object.entries(options.hosts ?? {})),
  });
  const client = new FederationClient({
    dialect: options.dialect ?? SVC_DIALECT,
    resolver,
    policy: testPolicy(options.whitelist),
    clock,
    logger: createLogger({ level: 'silent' }),
    ca: [options.caPem],
    defaultPort: options.defaultPort ?? 8448,
    wellKnownPort: options.wellKnownPort ?? 1,
    keyFetchTimeoutMs: options.keyFetchTimeoutMs ?? 5000,
    connectTimeoutMs: options.connectTimeoutMs ?? 1000,
    maxKeyRecordBytes: options.maxKeyRecordBytes ?? 256 * 1024,
    userAgent: 'Vidimus',
    random: options.random,
    ...(options.gate !== undefined && { gate: options.gate }),
  });
  return { client, clock };
}

export interface FetchOutcome {
  result: Buffer | null;
  error: ApiError | null;
  steps: TraceStep[];
}

/** Runs one fetch; an `ApiError` is an outcome, anything else fails the test. */
export async function fetchOutcome(client: FederationClient, serverName: string): Promise<FetchOutcome> {
  const steps: TraceStep[] = [];
  const trace = { step: (step: TraceStep) => void steps.push(step) };
  try {
    const result = await client.fetchServerKeys(serverName, { trace });
    return { result, error: null, steps };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { result: null, error, steps };
  }
}
