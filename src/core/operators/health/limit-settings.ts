import type { ClientBound, RefusedRequest } from '../../base/limits/reached-bounds.js';

/** Limits that cost nobody but the sender of a request anything, with their settings. */
const REQUEST_LIMITS: Readonly<Record<RefusedRequest, string>> = {
  head: 'heads above 16 KiB',
  handshake: 'server.head_timeout',
  slow_request: 'server.request_timeout',
  body: 'server.max_body_size',
  json: 'depth and number of JSON values',
  servers: 'keys.max_servers_per_query',
  key_ids: 'keys.max_key_ids_per_query',
  answer: 'keys.max_answer_size',
  previews: 'rate of previews',
  sign_in: 'tries to sign in',
  graphql: 'requests to GraphQL',
  request_lines: 'log.max_request_lines',
};

export const CLIENT_LIMITS: Readonly<Record<ClientBound, string>> = {
  ...REQUEST_LIMITS,
  connections: 'server.max_connections',
  client_connections: 'server.max_connections_per_client',
  bodies: 'server.max_body_memory',
  client_bodies: 'server.max_body_memory_per_client',
  unsent: 'server.max_unsent_size',
  client_unsent: 'server.max_unsent_size_per_client',
  stalled: 'server.stall_timeout',
  large_answers: 'server.max_waiting_answers',
  large_turn: 'server.large_answer_turn',
  pipelined: 'server.max_pipelined_requests',
  tokens: 'auth.max_waiting_tokens',
  token_reads: 'auth.max_waiting_token_reads',
  log_reads: 'log.max_waiting_reads',
};

export function isRequestLimit(bound: string): boolean {
  return Object.hasOwn(REQUEST_LIMITS, bound);
}

export const FETCH_LIMITS: Readonly<Record<string, string>> = {
  asker: 'federation.max_concurrent_fetches_per_asker',
  address: 'federation.max_connections_per_address',
  total: 'federation.max_concurrent_fetches',
  waiting: 'federation.max_waiting_fetches',
};

export const KEY_STORAGE_LIMITS: Readonly<Record<string, string>> = {
  servers: 'federation.max_stored_servers_per_domain',
  bytes: 'federation.max_stored_bytes_per_domain',
  spellings: 'federation.max_stored_spellings',
  total: 'federation.max_stored_bytes',
};

export const ALARM_LIMITS: Readonly<Record<string, string>> = {
  domain: 'alerts.max_alarms_per_domain',
  total: 'alerts.max_alarms',
};

export const LOOKUP_LIMITS: Readonly<Record<string, string>> = {
  asker: 'dns.max_lookups_per_asker',
  domain: 'dns.max_lookups_per_domain',
  total: 'dns.max_lookups',
  waiting: 'dns.max_lookups',
};
