import { compileAddressRanges, covers } from '../../core/net/address/address-ranges.js';
import { DEFAULT_IP_RANGE_BLACKLIST } from '../../core/net/address/default-address-ranges.js';
import type { HomeserverFiles, Remark } from './homeserver-files.js';

/** Settings of ours out of those of a Synapse, not yet checked. */
export interface TakenOver {
  readonly settings: Readonly<Record<string, unknown>>;
  /** By the name of a setting of ours: the one it comes from, where that has another name. */
  readonly origins: ReadonlyMap<string, string>;
  readonly remarks: readonly Remark[];
}

/** What is to be done to a value of a setting that has the same name and meaning on both sides. */
type Change = (value: unknown, path: (text: string) => string) => unknown;

const asIs: Change = (value) => value;
const asText: Change = (value) => (typeof value === 'number' ? String(value) : value);
const asPaths: Change = (value, path) =>
  Array.isArray(value) ? value.map((one: unknown) => (typeof one === 'string' ? path(one) : one)) : value;
const withProviders: Change = (value, path) => {
  if (typeof value !== 'object' || value === null || !('additional_providers' in value)) return value;
  return { ...value, additional_providers: asPaths(value.additional_providers ?? [], path) };
};

/** Settings of the same name, form and meaning. */
export const SAME_SETTINGS: ReadonlyMap<string, Change> = new Map([
  ['public_baseurl', asIs],
  ['old_signing_keys', asIs],
  ['key_refresh_interval', asIs],
  ['federation_domain_whitelist', asIs],
  ['ip_range_whitelist', asIs],
  ['federation_verify_certificates', asIs],
  ['federation_client_minimum_tls_version', asText],
  ['federation_custom_ca_list', asPaths],
  ['url_preview_enabled', asIs],
  ['url_preview_url_blacklist', asIs],
  ['url_preview_ip_range_whitelist', asIs],
  ['url_preview_accept_language', asIs],
  ['max_spider_size', asIs],
  ['oembed', withProviders],
  ['enable_authenticated_media', asIs],
  ['max_image_pixels', asIs],
  ['thumbnail_sizes', asIs],
  ['dynamic_thumbnails', asIs],
  ['enable_metrics', asIs],
]);

/** What an operator does about a setting that is the homeserver's own. */
export const HINTS: ReadonlyMap<string, string> = new Map([
  [
    'database',
    "stays the homeserver's: ours needs a database of its own, SQLite unless database.engine: postgresql and database.url say otherwise",
  ],
  [
    'media_store_path',
    "stays the homeserver's: never share the folder, what no row of ours names is removed; see media_store_path here",
  ],
  [
    'trusted_key_servers',
    'keys are always fetched from the server they belong to; to compare, see cross_check',
  ],
  [
    'tls_certificate_path',
    'the proxy in front has the certificate; else set it here with tls: true on a listener',
  ],
  ['tls_private_key_path', 'see tls_certificate_path'],
  ['http_proxy', 'see previews.proxy_url'],
  ['https_proxy', 'see previews.proxy_url'],
  [
    'media_instance_running_background_jobs',
    'names a worker of the homeserver; with several instances of ours see jobs.instance',
  ],
  ['federation_ip_range_blacklist', 'taken over as ip_range_blacklist'],
]);

const KEY_RANGES = 'ip_range_blacklist';
const PREVIEW_RANGES = 'url_preview_ip_range_blacklist';

/** Takes over what has the same meaning; lists of refused addresses never become shorter than ours are by default. */
export function takenOver(files: HomeserverFiles): TakenOver {
  const settings: Record<string, unknown> = {};
  for (const [name, change] of SAME_SETTINGS) {
    const value = files.get([name]);
    if (value !== null) settings[name] = change(value, (path) => files.resolvePath(name, path));
  }
  const remarks = [...previewRemark(files, settings)];
  const own = 'federation_ip_range_blacklist';
  const origins = new Map(files.get([own]) === null ? [] : [[KEY_RANGES, own]]);
  for (const name of [KEY_RANGES, PREVIEW_RANGES]) {
    const found = refusedRanges(files, origins.get(name) ?? name);
    if (found.added.length > 0) settings[name] = [...DEFAULT_IP_RANGE_BLACKLIST, ...found.added];
    remarks.push(...found.remarks);
  }
  return { settings, origins, remarks };
}

/** Off by default there, on here. */
function previewRemark(files: HomeserverFiles, settings: Record<string, unknown>): Remark[] {
  if (files.get(['url_preview_enabled']) !== null) return [];
  settings['url_preview_enabled'] = false;
  const message =
    'is not set, so the homeserver makes no previews and neither shall we: url_preview_enabled: false';
  return [{ ...files.spot(['url_preview_enabled']), setting: 'url_preview_enabled', message }];
}

/** Ranges beyond our default, and what the homeserver does not refuse but we do. */
function refusedRanges(files: HomeserverFiles, name: string): { added: string[]; remarks: Remark[] } {
  const value = files.get([name]);
  if (!Array.isArray(value)) return { added: [], remarks: [] };
  const remarks: Remark[] = [];
  const ranges: string[] = [];
  for (const [index, entry] of value.entries()) {
    if (isRange(entry)) ranges.push(entry);
    else {
      const message = 'is no IP address and no range such as 10.0.0.0/8 or fc00::/7';
      remarks.push({ ...files.spot([name, index]), setting: `${name}[${index}]`, message });
    }
  }
  const theirs = compileAddressRanges(ranges);
  const open = SYNAPSE_RANGES.filter((range) => !covers(theirs, compileAddressRanges([range])));
  if (open.length > 0) {
    const message = `does not refuse ${open.join(', ')}; we do, unless the whitelist beside it names exceptions`;
    remarks.push({ ...files.spot([name]), setting: name, message });
  }
  const ours = compileAddressRanges(DEFAULT_IP_RANGE_BLACKLIST);
  return { added: ranges.filter((range) => !covers(ours, compileAddressRanges([range]))), remarks };
}

/** What a Synapse that was left alone refuses: without one of these somebody wanted it so. */
const SYNAPSE_RANGES = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '::1/128',
  'fe80::/10',
  'fc00::/7',
];

function isRange(entry: unknown): entry is string {
  if (typeof entry !== 'string') return false;
  try {
    compileAddressRanges([entry]);
    return true;
  } catch {
    return false;
  }
}
