import type { Client } from '../../base/client.js';
import type { OpenGraph } from '../extract/open-graph.js';
import type { Trace } from '../../base/trace.js';
import type { MissingParts } from './failures.js';

/** What a client asks. */
export interface PreviewRequest {
  /** As received; the key of both caches (SPEC §4.7.2, §4.7.3). */
  url: string;
  /** Point in time for which the preview is wanted, POSIX ms. */
  ts: number;
  /** Becomes the owner of stored media. */
  userId: string;
  /** Request that asks, kept with what it is refused. */
  requestId: string;
  /** Calls back when the client has gone, or has been answered; a preview that nobody waits for ends. */
  whenGone?: (listener: () => void) => unknown;
}

/** One preview in the making: the request, its time limit, and who watches. */
export interface PreviewJob {
  url: string;
  userId: string;
  requestId: string;
  client: Client;
  /** Ends when the whole preview's time is over. */
  signal: AbortSignal;
  trace: Trace;
  /** `Accept-Language` lines instead of those of the configuration; only for jobs that somebody watches. */
  acceptLanguage?: readonly string[] | undefined;
  /** Told each media that is stored on the way, whether the preview comes about or not. */
  noteMedia?: ((mediaId: string) => void) | undefined;
  missing: MissingParts;
}

/** What a preview was made of: a page, an image, an oEmbed answer instead of or beside the page. */
export type PreviewSource = 'html' | 'image' | 'oembed_url' | 'oembed_discovered' | 'other';

/** How a try of an operator differs from a client's request. */
export interface TrialOptions extends Pick<PreviewJob, 'acceptLanguage' | 'noteMedia'> {
  /** Whether the preview is made anew even where one is kept. */
  ignoreCaches: boolean;
  /** Whether clients get it from now on. */
  store: boolean;
  signal?: AbortSignal | undefined;
}

/** What a try came to. */
export interface TracedPreview {
  /** What a client would get, byte for byte. */
  body: Buffer;
  /** `null` when the answer comes from a cache. */
  built: BuiltPreview | null;
  /** Names of the values that are not in the answer. */
  dropped: readonly string[];
  /** Row that was stored; `null` when none was. */
  storedId: number | null;
}

/** A preview that has been made, ready to be stored. */
export interface BuiltPreview {
  openGraph: OpenGraph;
  /** The stored download of the target. */
  mediaId: string;
  responseCode: number;
  etag: string | null;
  /** When the download was sent, POSIX ms. */
  downloadTs: number;
  /** How long the preview is good for, ms; may be 0 or negative by an oEmbed cache age (SPEC §4.7.13). */
  validityMs: number;
  source: PreviewSource;
  /** Whether image or oEmbed answer are missing for a reason of this server's own: not to be kept. */
  isCutShort: boolean;
  /** Whether image or oEmbed answer are missing because a host could not be resolved: good for a minute only. */
  isIncomplete: boolean;
  /** Where redirects ended. */
  finalUrl: string;
  /** Size of the target, decompressed. */
  downloadedBytes: number;
  /** Names of the values an oEmbed answer gave. */
  oembedKeys: readonly string[];
}
