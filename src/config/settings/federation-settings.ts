import { z } from 'zod';
import { count, duration, flag, kindOf, list, objectTo, path, size, text } from '../kinds/value-kinds.js';
import { addressRange, serverName } from '../kinds/network-kinds.js';
import { group, optional, setting } from '../kinds/setting.js';
import { DEFAULT_IP_RANGE_BLACKLIST } from '../../core/net/address/default-address-ranges.js';
import { publicKey } from './key-settings.js';

const TLS_FORM = '"1.2" or "1.3"';
const tlsVersion = kindOf(
  z.union([z.string(), z.number()], { error: TLS_FORM }).transform((written, context) => {
    const version = String(written);
    if (version === '1.2' || version === '1.3') return version;
    if (version === '1' || version === '1.0' || version === '1.1') {
      return objectTo(context, TLS_FORM, {
        problem: `is ${version}; TLS before 1.2 is broken and would let others forge keys`,
      });
    }
    context.addIssue({ code: 'custom', message: TLS_FORM });
    return z.NEVER;
  }),
  TLS_FORM,
);

const alwaysTrue = kindOf(
  z.boolean({ error: 'true' }).superRefine((value, context) => {
    if (value) return;
    objectTo(context, 'true', {
      problem:
        'is false; a key fetched without a checked certificate proves nothing, and this server would sign it. ' +
        'For private authorities use federation_custom_ca_list',
    });
  }),
  'true',
);

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
  federation_verify_certificates: setting(alwaysTrue, {
    default: true,
    doc: 'Known from Synapse; certificates are always checked',
  }),
  federation_client_minimum_tls_version: setting(tlsVersion, {
    default: '1.2',
    doc: 'Oldest TLS version spoken to other servers',
  }),
  federation_custom_ca_list: setting(list(path('a PEM file')), {
    default: [],
    doc: 'Certificate authorities trusted for key fetches instead of the well-known ones',
  }),
  federation: group('Fetching keys from other servers', {
    key_fetch_timeout: setting(duration({ min: '100ms', max: '5m' }), {
      default: '10s',
      doc: 'Time for one whole fetch: discovery, connection and answer',
    }),
    key_query_timeout: setting(duration({ min: '100ms', max: '5m' }), {
      default: '15s',
      doc: 'Then a query is answered with what is there; late records are still stored',
    }),
    connect_timeout: setting(duration({ min: '100ms', max: '1m' }), {
      default: '3s',
      doc: 'Time for one address to take the connection',
    }),
    max_concurrent_fetches: setting(count(1, 10_000), { default: 256, doc: 'Fetches running at once' }),
    max_concurrent_fetches_per_asker: setting(count(1, 10_000), {
      default: 128,
      doc: 'Names under way at once for one client address (IPv6: its /64)',
    }),
    max_waiting_fetches: setting(count(1, 1_000_000), {
      default: 4096,
      doc: 'Fetches that wait for a slot; beyond that the client with the most loses its newest',
    }),
    max_connections_per_address: setting(count(1, 10_000), {
      default: 32,
      doc: 'Fetches and connections at once to one address (IPv6: its /64), whatever names lead there',
    }),
    max_key_record_size: setting(size({ min: '1K', max: '16M' }), {
      default: '256K',
      doc: 'Larger key records are refused',
    }),
    max_keys_per_record: setting(count(1, 100_000), {
      default: 250,
      doc: 'Records with more keys, old ones included, are refused',
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
      doc: 'Public keys refused wherever they turn up, for keys whose private half is known to have leaked',
    }),
    default_port: setting(count(1, 65_535), {
      default: 8448,
      doc: 'Port of servers that name none; for closed networks',
    }),
    well_known_port: setting(count(1, 65_535), {
      default: 443,
      doc: 'Port of the delegation document; for closed networks',
    }),
    throttle: group('Fetches per host caused by unknown key IDs or minimums that cannot be met', {
      burst: setting(count(1, 10_000), { default: 10, doc: 'Fetches allowed at once' }),
      interval: setting(duration({ max: '1h' }), { default: '6s', doc: 'One more is allowed after each' }),
    }),
    backoff: group('Pause after failures in a row, per server', {
      after_failures: setting(count(1, 1000), { default: 3, doc: 'Failures before the first pause' }),
      initial: setting(duration({ max: '1d' }), { default: '5s', doc: 'First pause; it doubles each time' }),
      maximum: setting(duration({ max: '1w' }), { default: '10m', doc: 'Longest pause' }),
    }),
    fetch_history_retention: setting(duration(), {
      default: '30d',
      doc: 'How long the record of each fetch is kept for operators',
    }),
    max_kept_fetches: setting(count(20, 1_000_000), {
      default: 50,
      doc: 'Of one server, the latest; 10 at least, more as the bytes of its domain have room for them',
    }),
    max_failed_servers: setting(count(1, 1_000_000), {
      default: 1000,
      doc: 'Servers without any record whose failed fetches are kept; others are counted by domain and reason',
    }),
    max_failed_servers_per_domain: setting(count(1, 1_000_000), {
      default: 100,
      doc: 'Of them below one registrable domain',
    }),
    max_stored_servers_per_domain: setting(count(1, 100_000_000), {
      default: 10_000,
      doc: 'Servers below one registrable domain whose records are stored; those of further ones are kept in memory only',
    }),
    max_stored_bytes_per_domain: setting(size({ min: '1M', max: '1T' }), {
      default: '256M',
      doc: 'The same in bytes of their records, each with the rows it causes, 10 fetches of a server among them',
    }),
    max_stored_spellings: setting(count(0, 1_000_000), {
      default: 3,
      doc: 'Names of one host with capital letters whose records are stored; further ones are kept in memory only',
    }),
    max_stored_bytes: setting(size({ min: '1M', max: '100T' }), {
      default: '64G',
      doc: 'The same of all domains together; beyond it, records of further servers are kept in memory only',
    }),
    user_agent: setting(text('printable ASCII text', /^[\x20-\x7e]{1,200}$/), {
      default: 'Vidimus',
      doc: 'User-Agent of key fetches',
    }),
  }),
};
