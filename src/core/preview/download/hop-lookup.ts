import { isIpLiteral } from '../../net/address/ip-address.js';
import type { Client } from '../../base/client.js';
import { abortable } from '../../base/deadline.js';
import type { Resolver } from '../../net/dns/resolver.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import { toDownloadError } from './download-error-mapping.js';

/** On whose behalf, and for how long. */
export interface HopLookup {
  client: Client;
  signal: AbortSignal;
}

/**
 * Looks the host of one hop up ahead of its connection, which is judged and made by a look-up of its own, as a rule
 * out of the resolver's memory. @throws ApiError of SPEC §7 when there is no address.
 */
export async function lookUpHop(resolver: Resolver, url: URL, { client, signal }: HopLookup): Promise<void> {
  const host = url.hostname;
  if (host.startsWith('[') || isIpLiteral(host)) return;
  try {
    const { addresses } = await abortable<Awaited<ReturnType<Resolver['lookup']>>>(
      signal,
      (resolve, reject) => {
        resolver.lookup(host, client).then(resolve, reject);
        return () => reject(outboundError('aborted', host));
      },
    );
    if (addresses.length === 0) throw outboundError('dns_no_address', `${host} has no address`);
  } catch (error) {
    throw toDownloadError(error, 'connect');
  }
}
