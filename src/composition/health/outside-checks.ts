import { homeserverUrlOf, lacksHomeserver } from '../../config/homeserver-url.js';
import { proxyRoutes, publicUrlOf, type ProxyRoute } from '../../config/output/proxy.js';
import type { Config } from '../../config/schema.js';
import { SECOND_MS } from '../../core/base/clock.js';
import { Deadline } from '../../core/base/deadline.js';
import { statusError, toOutboundError } from '../../core/base/errors/outbound-error.js';
import {
  fetchTrusted,
  type TrustedRequest,
  type TrustedResponse,
} from '../../core/net/http/trusted-client.js';
import { isLoopbackName } from '../../core/net/address/ip-address.js';
import { parseServerName } from '../../core/notary/federation/server-name.js';
import { acceptKeyRecord, type AcceptedRecord } from '../../core/notary/key-record/key-record.js';
import { logPath } from '../../core/notary/log/log-store.js';
import type { SigningKeyStore } from '../../core/notary/own-keys/signing-key-store.js';
import { accessTokenCheck } from '../../core/operators/health/checks/access-tokens.js';
import { dnsCheck } from '../../core/operators/health/checks/dns.js';
import { publicAddressCheck } from '../../core/operators/health/checks/public-address.js';
import { diskSpaceCheck } from '../../core/operators/health/checks/disk-space.js';
import { objectStorageCheck } from '../../core/operators/health/checks/object-storage.js';
import { type Check, Health, type HealthLine } from '../../core/operators/health/health.js';
import { UNUSED_MEDIA_ID } from '../../core/preview/media/media-paths.js';
import { createHomeserver, type Access } from '../access.js';
import { createObjectStorage } from '../media/object-storage.js';
import { fetchOwnRecord, keyRecordPolicyOf } from '../key-fetch.js';
import { createFetchParts, createResolver, SILENT, type FetchParts, type LoadedSettings } from '../parts.js';

const MAX_ANSWER_BYTES = 256 * 1024;
const ASK_TIMEOUT_MS = 10 * SECOND_MS;
/** A name reserved for examples (RFC 2606 §3), for services that have no name in DNS. */
const OTHER_DOMAIN = 'example.org';

export interface OutsideParts extends FetchParts {
  signingKeys: Pick<SigningKeyStore, 'list'>;
  /** `null`: none is configured. */
  homeserver: Access['homeserver'];
  /** Looks up one of our own tokens; `null`: there is no store. */
  findOwnToken: ((token: string) => Promise<unknown>) | null;
}

/** What can be checked without a database: DNS, our public address and access tokens. */
export function outsideChecks(parts: OutsideParts): Check[] {
  const { config } = parts;
  const homeserverUrl = homeserverUrlOf(config);
  const { homeserver, findOwnToken } = parts;
  const findUser = async (token: string): Promise<string | null> => {
    if (homeserver !== null)
      return (await homeserver.findOwner({ token, asUserId: null, client: undefined })).user?.userId ?? null;
    await findOwnToken?.(token);
    return null;
  };
  return [
    dnsCheck(createResolver(parts), dnsNameOf(config)),
    publicAddress(parts),
    accessTokenCheck({ homeserverUrl, lacksHomeserver: lacksHomeserver(config), findUser }),
  ];
}

function publicAddress(parts: OutsideParts): Check {
  const { config } = parts;
  const publicUrl = publicUrlOf(config);
  const { public_baseurl: baseUrl } = config;
  const base = `${publicUrl}${parts.dialect.pathPrefix}`;
  const resources = proxyRoutes(config).map(({ resource }) => resource);
  const fetchRecord = (signal: AbortSignal): Promise<AcceptedRecord> =>
    baseUrl === null
      ? fetchOwnRecord(parts, signal)
      : fetchThrough(`${base}/key/v2/server`, { config, signal });
  return publicAddressCheck({
    publicUrl,
    isLocal: isLoopbackOnly(config) && baseUrl === null,
    missingKeys: async (signal) => {
      // Somebody else publishes our record.
      if (config.signing_key_path === null || !resources.includes('keys')) return [];
      const { verifyKeys } = await fetchRecord(signal);
      const active = (await parts.signingKeys.list()).filter(({ state }) => state === 'active');
      const missing = active.filter(({ keyId, publicKey }) => verifyKeys.get(keyId)?.publicKey !== publicKey);
      return missing.map(({ keyId }) => keyId);
    },
    askPaths: (signal) =>
      Promise.all(
        resources.map(async (resource) => {
          const { path, body } = pathOf(config, resource);
          const headers = { Accept: 'application/json', 'Content-Type': 'application/json' };
          const request = { url: new URL(base + path), headers, ...(body === undefined ? {} : { body }) };
          return [base + path, (await askedWithin(request, signal)).headers];
        }),
      ),
  });
}

/** A method that the path has not, so that no client's request is counted and no proxy asks the homeserver after it. */
function pathOf({ server_name }: Config, resource: ProxyRoute['resource']): { path: string; body?: string } {
  const paths: Readonly<Record<ProxyRoute['resource'], { path: string; body?: string }>> = {
    previews: { path: '/client/v1/media/preview_url', body: '{}' },
    media: { path: `/client/v1/media/download/${server_name}/${UNUSED_MEDIA_ID}`, body: '{}' },
    keys: { path: '/key/v2/query' },
    log: { path: `${logPath('')}/checkpoint`, body: '{}' },
  };
  return paths[resource];
}

async function fetchThrough(
  address: string,
  { config, signal }: { config: Config; signal: AbortSignal },
): Promise<AcceptedRecord> {
  const request = { url: new URL(address), headers: { Accept: 'application/json' } };
  const { status, body } = await askedWithin(request, signal);
  if (status !== 200) throw statusError(status, undefined);
  return acceptKeyRecord(body, config.server_name, keyRecordPolicyOf(config));
}

function dnsNameOf({ server_name }: Config): string {
  const name = parseServerName(server_name);
  return name?.hostKind === 'dns' && name.host.includes('.') ? name.host : OTHER_DOMAIN;
}

function isLoopbackOnly(config: Config): boolean {
  const open = config.listeners.filter(({ resources }) =>
    resources.some((resource) => resource === 'keys' || resource === 'previews'),
  );
  return open.every(({ bind_addresses }) => bind_addresses.every(isLoopbackName));
}

/** Asks an address of the configuration, which may be silent. */
async function askedWithin(
  request: Omit<TrustedRequest, 'maxBodyBytes' | 'deadline'>,
  signal: AbortSignal,
): Promise<TrustedResponse> {
  const deadline = new Deadline(ASK_TIMEOUT_MS, signal);
  try {
    return await fetchTrusted({ ...request, maxBodyBytes: MAX_ANSWER_BYTES, deadline });
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.error('timeout_headers', request.url.host);
    throw toOutboundError(error, 'host_unreachable');
  } finally {
    deadline.close();
  }
}

/** Runs given checks, and those that need no database, once: what goes out, and the storage of media. Worst first. */
export async function examine(loaded: LoadedSettings, checks: readonly Check[]): Promise<HealthLine[]> {
  const parts = createFetchParts(loaded, SILENT);
  const { config } = parts;
  const signingKeys = { list: async () => [] };
  const outside = { ...parts, homeserver: createHomeserver(parts), signingKeys, findOwnToken: null };
  const objects = config.media.storage === 's3' ? createObjectStorage(parts) : null;
  const storage = objects === null ? folderCheck(config) : objectStorageCheck(objects);
  const all = [...checks, ...outsideChecks(outside), storage];
  try {
    const health = new Health({ ...parts, checks: () => all });
    await health.probe();
    return await health.look();
  } finally {
    parts.lookups.close();
    objects?.close();
  }
}

function folderCheck({ media, media_store_path: folder }: Config): Check {
  return diskSpaceCheck({ folder, minFreeBytes: media.min_free_space, missingFiles: async () => 0 });
}
