/** Settings of earlier versions, in lines: the group, names in it, what to do instead. Without that the value is fixed. */
const REMOVED = `
witness: run the command "tlog witness" of packages/tlog beside the server
runtime tracing: use the metrics and the log
watch pins: alarms of all servers go to alerts.webhook
cross_check: keys are fetched from their own server alone
update_check: follow the releases of the repository
enable_metrics: leave metrics out of the resources of the listeners
admin. internal_ranges: address ranges are allowed in url_preview_ip_range_whitelist alone
admin. kept_request_events: search the log for the request ID
admin. privacy.hide_owners privacy.hide_query_strings: admin.privacy is one word now
admin. matrix_admins: use admin.matrix_accounts with the role admin
server. workers: run several instances on PostgreSQL
server. max_body_memory_per_client max_unsent_size_per_client: it is a fixed share of the total now
database. advisory_locks listen look_interval: an instance finds out by itself
database. replica_url replica_max_lag: lists are read from database.url
alerts. webhooks: name one address in alerts.webhook.url
alerts. cross_check_patience retention quiet_time timeout max_concurrent: alarms are retried for an hour
alerts. max_waiting first_retry longest_retry give_up_after: alarms are retried for an hour
federation. max_concurrent_fetches_per_query max_concurrent_fetches_per_asker: it is a fixed share of the total now
oembed. required: it goes by the dialect
previews. reserved_downloads: it is a fixed share of the total now
previews. blurhash: clients load thumbnails instead
media.s3. path_style: the bucket stands in the path where media.s3.endpoint is set
max_tls_handshake_size
admin. session_lifetime session_idle_timeout sign_in_code_lifetime environment.color
server. max_body_size head_timeout stall_timeout min_read_rate max_waiting_answers
server. max_waiting_answers_per_client large_answer_turn max_pipelined_requests max_connections_per_client
keys. max_servers_per_query max_key_ids_per_server max_key_ids_per_query max_answer_size cache_lifetime
alerts. max_alarms max_alarms_per_domain
federation. max_concurrent_fetches_per_domain max_fetch_wait first_connections silent_address_pause
federation. connect_timeout max_waiting_fetches user_agent max_connections_per_address max_kept_fetches
federation. max_key_record_size max_keys_per_record throttle backoff
federation. fetch_history_retention max_failed_servers max_failed_servers_per_domain
federation. max_stored_servers_per_domain max_stored_bytes_per_domain max_stored_spellings
previews. response_timeout connect_timeout max_concurrent_per_host max_pending_thumbnails transient_failure_lifetime blacklist_hit_retention
media.s3. timeout max_concurrent max_reads max_waiting
dns. resolver: name the servers in dns.servers, and other names in dns.hosts
dns. max_lookups max_lookups_per_asker max_lookups_per_domain timeout_lifetime
auth. max_token_reads max_waiting_token_reads max_asked_tokens max_asked_tokens_per_client max_waiting_tokens database_outage_grace
log. max_request_lines maximum_merge_delay cache_size max_reads max_waiting_reads witness_timeout maximum_witness_delay
`;

const REASONS = new Map(
  REMOVED.trim()
    .split('\n')
    .flatMap((line) => {
      const [names = '', reason = 'its value is fixed now'] = line.split(': ');
      const words = names.split(' ');
      const group = names.includes('. ') ? words.shift() : '';
      return words.map((name) => [`${group}${name}`, reason] as const);
    }),
);

/** What to do instead of a setting that is gone, alone or with its group; `null` when there never was one. */
export function replacementOf(path: readonly (string | number)[]): string | null {
  const names = path.map((_step, at) => path.slice(0, at + 1).join('.'));
  const reason = names.map((name) => REASONS.get(name)).find((each) => each !== undefined);
  return reason === undefined ? null : `no longer a setting: ${reason}`;
}
