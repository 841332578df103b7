/**
 * Ranges that are refused unless the operator says otherwise: default of `url_preview_ip_range_blacklist` and
 * `ip_range_blacklist`. IANA special-purpose registries (RFC 6890 and successors); for IPv6 everything outside
 * global unicast 2000::/3, plus the special blocks inside it.
 */
export const DEFAULT_IP_RANGE_BLACKLIST: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
];
