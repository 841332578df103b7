import type { RefusedRequest } from '../../base/errors/api-error.js';
import type { ClientBound } from '../../base/limits/reached-bounds.js';

/** Limits that cost nobody but the sender of a request anything, with their settings or names. */
const REQUEST_LIMITS: Readonly<Record<RefusedRequest, string>> = {
  head: 'heads above 16 KiB',
  handshake: 'TLS handshakes above 10 s',
  slow_request: 'server.request_timeout',
  body: 'bodies above 1 MiB',
  json: 'depth and number of JSON values',
  servers: 'servers of a key query',
  key_ids: 'key IDs of a key query',
  answer: 'key answers above 16 MiB',
  previews: 'rate of previews',
  sign_in: 'tries to sign in',
  graphql: 'requests to GraphQL',
  request_lines: 'log lines',
};

export const CLIENT_LIMITS: Readonly<Record<ClientBound, string>> = {
  ...REQUEST_LIMITS,
  connections: 'server.max_connections',
  client_connections: 'connections of one client',
  bodies: 'server.max_body_memory',
  client_bodies: 'bodies of one client',
  unsent: 'server.max_unsent_size',
  client_unsent: 'unread answers of one client',
  stalled: 'clients that read nothing',
  large_answers: 'large answers',
  pipelined: 'pipelined requests',
  tokens: 'tokens to check at the homeserver',
  token_reads: 'tokens to look up',
  log_reads: 'reads of the log',
};

export function isRequestLimit(bound: string): boolean {
  return Object.hasOwn(REQUEST_LIMITS, bound);
}

export const FETCH_LIMITS: Readonly<Record<string, string>> = {
  asker: 'fetches of one client',
  address: 'connections to one address',
  total: 'federation.max_concurrent_fetches',
  waiting: 'waiting fetches',
};

export const KEY_STORAGE_LIMITS: Readonly<Record<string, string>> = {
  servers: 'servers of one domain',
  bytes: 'bytes of one domain',
  total: 'federation.max_stored_bytes',
};

export const ALARM_LIMITS: Readonly<Record<string, string>> = {
  domain: 'alarms of one domain',
};

export const LOOKUP_LIMITS: Readonly<Record<string, string>> = {
  asker: 'look-ups of one client',
  domain: 'look-ups of one domain',
  total: 'look-ups',
  waiting: 'waiting look-ups',
};

export const PREVIEW_LIMITS: Readonly<Record<string, string>> = {
  download_asker: 'downloads of one user',
  download_group: 'downloads from one host',
  download_total: 'previews.max_concurrent',
  download_waiting: 'previews.max_queued',
  body_total: 'previews.max_body_memory',
  file_asker: 'files of one user',
  file_total: 'files',
  file_waiting: 'waiting files',
  page_asker: 'pages of one user',
  page_total: 'pages',
  page_waiting: 'waiting pages',
  picture_asker: 'images of one user',
  picture_total: 'images',
  picture_waiting: 'waiting images',
};
