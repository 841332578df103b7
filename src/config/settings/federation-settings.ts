import { count, duration, flag, list, path, size } from '../kinds/value-kinds.js';
import { addressRange, serverName } from '../kinds/network-kinds.js';
import { group, optional, setting } from '../kinds/setting.js';
import { DEFAULT_IP_RANGE_BLACKLIST } from '../../core/net/address/address-policy.js';
import { publicKey } from './key-settings.js';

export const FEDERATION_SETTINGS = {
  federation_domain_whitelist: optional(list(serverName()), {
    live: true,
    doc: 'Servers whose keys may be fetched. Unset: all of them. An empty list: none',
    example: ['example.org', 'matrix.example.com:8448'],
  }),
  ip_range_blacklist: setting(list(addressRange()), {
    default: [...DEFAULT_IP_RANGE_BLACKLIST],
    live: true,
    doc: 'Addresses never contacted for keys',
  }),
  ip_range_whitelist: setting(list(addressRange()), {
    default: [],
    live: true,
    doc: 'Exceptions from ip_range_blacklist',
  }),
  federation_custom_ca_list: setting(list(path('a PEM file')), {
    default: [],
    doc: 'Certificate authorities trusted for key fetches, instead of the public ones',
  }),
  federation: group('Fetching keys from other servers', {
    key_fetch_timeout: setting(duration({ min: '100ms', max: '5m' }), {
      default: '10s',
      doc: 'Time for one whole fetch: discovery, connection and answer',
    }),
    key_query_timeout: setting(duration({ min: '100ms', max: '5m' }), {
      default: '15s',
      doc: 'How long a query waits for fetches; late records are still stored',
    }),
    max_concurrent_fetches: setting(count(1, 10_000), {
      default: 256,
      doc: 'Maximum number of concurrent fetches',
    }),
    fetch_when_unknown: setting(flag(), {
      default: false,
      doc: 'Fetch the keys of a server without records when a query asks for all its keys',
    }),
    require_all_keys_signed: setting(flag(), {
      default: false,
      doc: 'Refuse records in which a listed key has not signed',
    }),
    banned_keys: setting(list(publicKey()), {
      default: [],
      doc: 'Public keys that are always refused, because their private keys have leaked',
    }),
    default_port: setting(count(1, 65_535), {
      default: 8448,
      doc: 'Port of servers whose name has none; for closed networks',
    }),
    well_known_port: setting(count(1, 65_535), {
      default: 443,
      doc: 'Port of the delegation document; for closed networks',
    }),
    max_stored_bytes: setting(size({ min: '1M', max: '100T' }), {
      default: '64G',
      doc: 'Storage for records of other servers; beyond it, records of further servers are kept in memory only',
    }),
  }),
};
