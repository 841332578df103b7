import type { Client } from '../../base/client.js';
import type { Trace } from '../../base/trace.js';

/** What is hoped for: answers may depend on it. */
export type DownloadKind = 'page' | 'image' | 'oembed';

/** One fetch of a page, an image or an oEmbed answer. */
export interface DownloadRequest {
  url: string;
  kind: DownloadKind;
  /** Targets may not be data URLs, those of providers included; images and advertised oEmbed may. SPEC §4.7. */
  allowDataUrls: boolean;
  /** The whole preview's own limit, or its cancellation. */
  signal?: AbortSignal;
  /** Told each address before it is contacted, the first included, as it was written; may throw to refuse it. */
  onHop?: (url: string) => void | Promise<void>;
  /** On whose behalf it is done: names are looked up and places are given by turns of clients. */
  client: Client;
  trace?: Trace;
  /** `Accept-Language` lines instead of those of the configuration; for watched downloads. */
  acceptLanguage?: readonly string[];
}

/** Answer headers that say something of a page, or that it is none; lower-case names. */
export type NotedHeaders = ReadonlyMap<string, string>;

/** A finished download. */
export interface Download {
  /** Where redirects ended, without credentials and fragment: base of relative addresses. */
  finalUrl: string;
  /** How many led there. */
  redirects: number;
  status: number;
  /** Raw header value, `application/octet-stream` without one. */
  contentType: string;
  fileName: string | null;
  etag: string | null;
  /** Decompressed. */
  body: Buffer;
  sizeBytes: number;
  headers: NotedHeaders;
}
