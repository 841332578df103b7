import { homeserverUrlOf, lacksHomeserver } from '../../config/homeserver-url.js';
import { proxyRoutes, publicUrlOf } from '../../config/output/proxy.js';
import type { Config } from '../../config/schema.js';
import { SECOND_MS } from '../../core/base/clock.js';
import { statusError, toOutboundError } from '../../core/base/errors/outbound-error.js';
import { fetchTrusted } from '../../core/net/http/trusted-client.js';
import { isLoopbackName } from '../../core/net/address/ip-address.js';
import { parseServerName } from '../../core/notary/federation/server-name.js';
import { acceptKeyRecord } from '../../core/notary/key-record/key-record.js';
import { logPath } from '../../core/notary/log/log-store.js';
import type { SigningKeyStore } from '../../core/notary/own-keys/signing-key-store.js';
import {
  accessTokenCheck,
  dnsCheck,
  publicAddressCheck,
} from '../../core/operators/health/checks/outside.js';
import { diskSpaceCheck, objectStorageCheck } from '../../core/operators/health/checks/storage.js';
import { type Check, Health, type HealthLine } from '../../core/operators/health/health.js';
import { UNUSED_MEDIA_ID } from '../../core/preview/media/media-paths.js';
import { createHomeserver, type Access } from '../access.js';
import { createObjectStorage } from '../media/object-storage.js';
import { fetchOwnRecord, keyRecordPolicyOf } from '../key-fetch.js';
import { createFetchParts, SILENT, type FetchParts, type LoadedSettings } from '../parts.js';

const LIMITS = { timeoutMs: 10 * SECOND_MS, maxBodyBytes: 256 * 1024 };
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
  const { config, homeserver, findOwnToken } = parts;
  const findUser = async (token: string): Promise<string | null> => {
    if (homeserver !== null)
      return (await homeserver.findOwner({ token, asUserId: null, client: undefined })).user?.userId ?? null;
    await findOwnToken?.(token);
    return null;
  };
  const name = parseServerName(config.server_name);
  const dnsName = name?.hostKind === 'dns' && name.host.includes('.') ? name.host : OTHER_DOMAIN;
  const homeserverUrl = homeserverUrlOf(config);
  return [
    dnsCheck(parts.resolver.inManner({ isFresh: true }), dnsName),
    publicAddress(parts),
    accessTokenCheck({ homeserverUrl, lacksHomeserver: lacksHomeserver(config), findUser }),
  ];
}

function publicAddress(parts: OutsideParts): Check {
  const { config } = parts;
  const publicUrl = publicUrlOf(config);
  const base = `${publicUrl}${parts.dialect.pathPrefix}`;
  const resources = proxyRoutes(config).map(({ resource }) => resource);
  // Asked by a method that the path has not: no client's request is counted, and no proxy asks the homeserver after it.
  const paths = {
    previews: '/client/v1/media/preview_url',
    media: `/client/v1/media/download/${config.server_name}/${UNUSED_MEDIA_ID}`,
    keys: '/key/v2/query',
    log: `${logPath('')}/checkpoint`,
  };
  return publicAddressCheck({
    publicUrl,
    isLocal: config.public_baseurl === null && isLoopbackOnly(config),
    missingKeys: async () => {
      // Somebody else publishes our record.
      if (config.signing_key_path === null || !resources.includes('keys')) return [];
      const { verifyKeys } = await fetchPublished(parts, `${base}/key/v2/server`);
      const active = (await parts.signingKeys.list()).filter(({ state }) => state === 'active');
      const missing = active.filter(({ keyId, publicKey }) => verifyKeys.get(keyId)?.publicKey !== publicKey);
      return missing.map(({ keyId }) => keyId);
    },
    askPaths: () =>
      Promise.all(
        resources.map(async (resource) => {
          const url = base + paths[resource];
          return [url, (await ask(url, resource === 'keys' ? {} : { body: '{}' })).headers];
        }),
      ),
  });
}

/** Our record as peers find it by our name, or at the address that the configuration states. */
async function fetchPublished(parts: OutsideParts, url: string) {
  const { config } = parts;
  if (config.public_baseurl === null) return fetchOwnRecord(parts);
  const { status, body } = await ask(url);
  if (status !== 200) throw statusError(status, undefined);
  return acceptKeyRecord(body, config.server_name, keyRecordPolicyOf(config));
}

function isLoopbackOnly({ listeners }: Config): boolean {
  const open = listeners.filter(
    ({ resources }) => resources.includes('keys') || resources.includes('previews'),
  );
  return open.every(({ bind_addresses }) => bind_addresses.every(isLoopbackName));
}

async function ask(address: string, sent: { body?: string } = {}) {
  const url = new URL(address);
  const headers = { Accept: 'application/json', 'Content-Type': 'application/json' };
  return fetchTrusted({ ...sent, ...LIMITS, url, headers }).catch((error: unknown) => {
    throw toOutboundError(error, 'host_unreachable');
  });
}

/** Runs given checks, and those that need no database, once: what goes out, and the storage of media. Worst first. */
export async function examine(loaded: LoadedSettings, checks: readonly Check[]): Promise<HealthLine[]> {
  const parts = createFetchParts(loaded, SILENT);
  const { config } = parts;
  const signingKeys = { list: async () => [] };
  const outside = { ...parts, homeserver: createHomeserver(parts), signingKeys, findOwnToken: null };
  const objects = parts.config.media.storage === 's3' ? createObjectStorage(parts) : null;
  const { media, media_store_path: folder } = config;
  const space = { folder, minFreeBytes: media.min_free_space, missingFiles: async () => 0 };
  const storage = objects === null ? diskSpaceCheck(space) : objectStorageCheck(objects);
  const all = [...checks, ...outsideChecks(outside), storage];
  try {
    const health = new Health({ ...parts, checks: () => all });
    await health.probe();
    return await health.look();
  } finally {
    parts.resolver.close();
    objects?.close();
  }
}
