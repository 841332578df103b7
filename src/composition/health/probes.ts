import { homeserverUrlOf, lacksHomeserver } from '../../config/homeserver-url.js';
import { proxyPlan, type ProxyPlan } from '../../config/output/proxy/proxy-plan.js';
import { publicUrlOf } from '../../config/public-url.js';
import type { Config } from '../../config/schema.js';
import { Deadline } from '../../core/base/deadline.js';
import { typedCommand } from '../../core/base/text/command-line.js';
import { outboundError, toOutboundError } from '../../core/base/errors/outbound-error.js';
import type { JobServices } from '../../core/job-runner/job-services.js';
import { isLoopbackName } from '../../core/net/address/loopback-name.js';
import { fetchTrusted } from '../../core/net/http/trusted-client.js';
import { logPath } from '../../core/notary/log/log-path.js';
import { parseServerName } from '../../core/notary/federation/server-name.js';
import { acceptKeyRecord, type AcceptedRecord } from '../../core/notary/key-record/key-record.js';
import { UNUSED_MEDIA_ID } from '../../core/preview/media/media-id.js';
import { SigningKeyStore } from '../../core/notary/own-keys/signing-key-store.js';
import { ownTokenCheck } from '../../core/operators/overview/health/own-checks.js';
import { HealthStore } from '../../core/operators/overview/health/health-store.js';
import { clockProbe } from '../../core/operators/probes/clock-probe.js';
import { dnsProbe } from '../../core/operators/probes/dns-probe.js';
import { homeserverProbe } from '../../core/operators/probes/homeserver-probe.js';
import { mediaStoreProbe, type ProbedStore } from '../../core/operators/probes/media-store-probe.js';
import { ownRecordProbe } from '../../core/operators/probes/own-record-probe.js';
import { probeCheck, type Probe } from '../../core/operators/probes/probe.js';
import { routesProbe } from '../../core/operators/probes/routes-probe.js';
import { updateProbe } from '../../core/operators/probes/update-probe.js';
import { ProbeStore } from '../../core/operators/probes/probe-store.js';
import { probeJob } from '../../jobs/prove-health.js';
import { VERSION } from '../../config/version.js';
import type { Access } from '../access.js';
import { askForDates, keyRecordPolicyOf } from '../key-fetch.js';
import { createResolver } from '../names.js';
import { feature, type ContextParts, type Feature, type FetchParts } from '../parts.js';
import type { KeyServices } from '../notary.js';
import type { PreviewServices } from '../preview.js';
import { fetchOwnRecord } from '../start/own-record.js';
import { askedWithin } from './asked-within.js';
import { createPreviewProof } from './preview-proof.js';

/** Names reserved for examples (RFC 2606 §3), for services that have no name in DNS. */
const OTHER_DOMAIN = 'example.org';

interface ProbeNeighbours {
  access: Access;
  keys: Pick<KeyServices, 'whitelist'>;
  jobs: JobServices;
  previews: PreviewServices;
}

/** What probes are built from; a doctor has it without a store. */
export type ProbeParts = FetchParts & Pick<ContextParts, 'commandLine'>;

/** What is tried. */
export interface Probed {
  signingKeys: Pick<SigningKeyStore, 'list'>;
  homeserver: Access['homeserver'];
  /** `null`: media is on disk. */
  objects: ProbedStore | null;
}

/** Builds what tries, again and again, whether what we depend on works. */
export function createProbes(
  config: Config,
  parts: ContextParts,
  { access, keys, jobs: { runner, pauses }, previews }: ProbeNeighbours,
): Feature {
  const { clock, logger, database, commandLine } = parts;
  const store = new ProbeStore(database);
  const { homeserver, tokens } = access;
  const { objects } = previews.media;
  const probes = probesOf(config, parts, { signingKeys: new SigningKeyStore(database), homeserver, objects });
  probes.push(otherClocks(config, parts, keys));
  probes.push(...createPreviewProof(config, parts, { tokens, previews }), ...updates(config));
  const isAsked = homeserver !== null && homeserverUrlOf(config) !== null;
  const tokenChecks = isAsked
    ? []
    : [ownTokenCheck(tokens, { lacksHomeserver: lacksHomeserver(config), commandLine })];
  return feature(
    {},
    {
      jobs: probes.map((probe) => probeJob(probe, { store, runner, pauses, clock, logger })),
      healthChecks: [...probes.map((probe) => probeCheck(probe, { store, clock })), ...tokenChecks],
    },
  );
}

/** All of them, as the configuration says. */
export function probesOf(config: Config, parts: ProbeParts, probed: Probed): Probe[] {
  const { signingKeys, homeserver, objects } = probed;
  const homeserverUrl = homeserverUrlOf(config);
  const isAsked = homeserver !== null && homeserverUrl !== null;
  const plan = proxyPlan(config);
  return [
    ownRecord(config, parts, signingKeys),
    dnsProbe(createResolver(config, parts), domainOf(config)),
    ...(plan.routes.length === 0 ? [] : [routes(config, parts, plan)]),
    ...(objects === null ? [] : [mediaStoreProbe(objects)]),
    ...(isAsked ? [homeserverProbe(homeserver, homeserverUrl)] : []),
  ];
}

function routes(config: Config, { dialect, commandLine }: ProbeParts, plan: ProxyPlan): Probe {
  const publicUrl = publicUrlOf(config);
  const ourMedia = `${config.server_name}/${UNUSED_MEDIA_ID}`;
  // The method that each has not, so that no client's request is counted, and no proxy asks the homeserver after it.
  const asked = {
    previews: [{ path: '/client/v1/media/preview_url', body: '{}' }],
    media: [
      { path: `/client/v1/media/download/${ourMedia}`, body: '{}' },
      { path: `/media/v3/thumbnail/${ourMedia}`, body: '{}' },
    ],
    keys: [{ path: '/key/v2/query' }],
    log: [{ path: `${logPath('')}/checkpoint`, body: '{}' }],
  };
  return routesProbe({
    publicUrl,
    routes: plan.routes.flatMap(({ resource: name }) =>
      asked[name].map(({ path, ...rest }) => ({ name, path: `${dialect.pathPrefix}${path}`, ...rest })),
    ),
    ask: ({ path, body }, signal) => {
      const headers = { Accept: 'application/json', 'Content-Type': 'application/json' };
      const request = { url: new URL(`${publicUrl}${path}`), headers };
      return askedWithin(body === undefined ? request : { ...request, body }, signal);
    },
    command: typedCommand(commandLine, 'config proxy nginx'),
    isLocal: isLoopbackOnly(config) && config.public_baseurl === null,
  });
}

/** Our own answers would agree with us. */
function otherClocks(
  config: Config,
  parts: ContextParts,
  { whitelist }: Pick<KeyServices, 'whitelist'>,
): Probe {
  const store = new HealthStore(parts.database);
  const isOther = (name: string): boolean => name !== config.server_name && whitelist.allows(name);
  return clockProbe({
    clock: parts.clock,
    known: async (count) => (await store.latestOrigins()).filter(isOther).slice(0, count),
    ask: (serverNames, dates, signal) => askForDates(config, parts, { serverNames, dates, signal }),
  });
}

/** None unless an address is configured. Nothing tells there who asks, or for which version. */
function updates(config: Config): Probe[] {
  const { url } = config.update_check;
  if (url === null) return [];
  const request = { url: new URL(url), headers: { Accept: 'application/json' } };
  return [updateProbe({ url, version: VERSION, ask: (signal) => askedWithin(request, signal) })];
}

function domainOf({ server_name }: Config): string {
  const name = parseServerName(server_name);
  return name?.hostKind === 'dns' && name.host.includes('.') ? name.host : OTHER_DOMAIN;
}

function ownRecord(config: Config, parts: ProbeParts, signingKeys: Probed['signingKeys']): Probe {
  const { server_name: serverName, public_baseurl: publicBaseUrl } = config;
  const command = typedCommand(parts.commandLine, 'config proxy nginx');
  return ownRecordProbe({
    serverName,
    publicBaseUrl,
    clock: parts.clock,
    signingKeys,
    fetchRecord: (signal) =>
      publicBaseUrl === null
        ? fetchOwnRecord(config, parts, signal)
        : fetchThrough(publicBaseUrl, { config, parts, signal }),
    advice: isLoopbackOnly(config)
      ? `The server listens on loopback only: put a reverse proxy in front for ${serverName}; "${command}" prints its lines.`
      : null,
  });
}

async function fetchThrough(
  baseUrl: string,
  { config, parts, signal }: { config: Config; parts: ProbeParts; signal: AbortSignal },
): Promise<AcceptedRecord> {
  const url = new URL(`${parts.dialect.pathPrefix.slice(1)}/key/v2/server`, baseUrl);
  const { key_fetch_timeout, max_key_record_size: maxBodyBytes } = config.federation;
  const deadline = new Deadline(key_fetch_timeout, signal);
  try {
    const headers = { Accept: 'application/json' };
    const { status, body } = await fetchTrusted({ url, headers, maxBodyBytes, deadline });
    if (status !== 200) throw outboundError('http_status', `${url.href} answered ${status}`);
    return acceptKeyRecord(body, config.server_name, keyRecordPolicyOf(config));
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.error('timeout_headers', url.host);
    throw toOutboundError(error, 'host_unreachable');
  } finally {
    deadline.close();
  }
}

function isLoopbackOnly(config: Config): boolean {
  const open = config.listeners.filter(({ resources }) =>
    resources.some((resource) => resource === 'keys' || resource === 'previews'),
  );
  return open.every(({ bind_addresses }) => bind_addresses.every(isLoopbackName));
}
