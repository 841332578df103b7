import { SECOND_MS } from '../core/base/clock.js';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Config } from '../config/schema.js';
import { createGuardedAgents } from '../core/net/http/guarded-agents.js';
import { createProxyRoute } from '../core/net/http/proxy-route.js';
import { Downloader } from '../core/preview/download/downloader.js';
import { MAX_TRIED } from '../core/preview/extract/images/image-limits.js';
import { createDownloadQueue } from '../core/preview/download/download-queue.js';
import { HttpClient } from '../core/preview/download/http-client.js';
import type { FairQueue } from '../core/base/fair-queue.js';
import { contentUri } from '../core/preview/media/media-id.js';
import { loadOembedProviders } from '../core/preview/oembed/oembed-providers.js';
import { FallbackProviders } from '../core/preview/oembed/fallback-providers.js';
import { BodyBudget } from '../core/preview/pipeline/body-budget.js';
import type { PreviewBounds } from '../core/preview/pipeline/preview-bounds.js';
import { PreviewBuilder } from '../core/preview/build-preview.js';
import { PreviewMaking } from '../core/preview/pipeline/preview-making.js';
import { PreviewStore } from '../core/preview/pipeline/preview-store.js';
import { PREVIEW_RESULTS, Previewer, type PreviewerOptions } from '../core/preview/pipeline/previewer.js';
import { OembedAnswers, type OembedAnswersOptions } from '../core/preview/build/oembed-answers.js';
import { PageImages, type ImageKeys } from '../core/preview/build/page-image.js';
import { PreviewTargets, type PreviewTargetsOptions } from '../core/preview/build/preview-targets.js';
import { TracedPreviews } from '../core/preview/pipeline/traced-previews.js';
import { UrlGate } from '../core/preview/pipeline/url-gate.js';
import { feature, MAX_HANDSHAKE_BYTES, noteHandshake, type ContextParts } from './parts.js';
import type { PreviewServices } from './preview.js';

/** What makes previews. */
export type Pipeline = Awaited<ReturnType<typeof createPipeline>>;

/** Names the operator of this crawler can be asked under; carries no version (SPEC §4.7.5). */
const USER_AGENT_NAME = 'Vidimus (bot';
const CONNECT_TIMEOUT_MS = 5 * SECOND_MS;
/** One more for a user who has none there. */
const MAX_DOWNLOADS_PER_HOST = 2;

/** Builds it over what stores previews. Rejects when a file of oEmbed providers is unfit. */
export async function createPipeline(config: Config, parts: ContextParts, previews: PreviewServices) {
  const { clock, database } = parts;
  const { requestPolicies, hits, cache, forgetting } = previews;
  const gate = new UrlGate({ ...requestPolicies, hits, clock });
  const store = new PreviewStore(database);
  const { making, downloader } = await createMaking(config, parts, { previews, gate, store });
  const { rateLimit } = requestPolicies;
  const onResult = noteResults(parts);
  const previewer = new Previewer({ gate, cache, store, making, rateLimit, clock, onResult });
  const forget = (url: string) => forgetting.forget([url]);
  const traced = new TracedPreviews({ gate, cache, store, making, forget });
  const warming = createWarming(previews, downloader);
  const close = async (): Promise<void> => {
    warming.end();
    making.close();
    await previewer.settle();
  };
  return feature({ previewer, traced, warmUp: warming.begin }, { close });
}

async function createMaking(
  config: Config,
  parts: ContextParts,
  { previews, gate, store }: { previews: PreviewServices; gate: UrlGate; store: PreviewStore },
): Promise<{ making: PreviewMaking; downloader: Downloader }> {
  const { clock, metrics, logger } = parts;
  const { queue, budget } = createQueue(config, previews.bounds);
  metrics.observePreviewWork('download', () => queue.load);
  const downloader = createDownloader(config, parts, { ...previews, queue });
  const providers = await loadOembedProviders({
    useDefaults: !config.oembed.disable_default_providers,
    additionalFiles: config.oembed.additional_providers,
    logger,
  });
  const builder = createBuilder(config, parts, { previews, gate, downloader, budget, providers });
  const previewTimeoutMs = config.previews.preview_timeout;
  return { making: new PreviewMaking({ builder, store, clock, previewTimeoutMs }), downloader };
}

/** Loads what the first preview would wait for, in turns of the event loop, until it is told to end. */
function createWarming({ worker }: PreviewServices, downloader: Downloader) {
  const ending = new AbortController();
  return {
    begin: async (): Promise<void> => {
      await Promise.all([worker.warmUp(ending.signal), nextTurn().then(() => downloader.prepare())]);
    },
    end: () => ending.abort(),
  };
}

/** Counts what requests came to. */
function noteResults({ metrics }: ContextParts): PreviewerOptions['onResult'] {
  const counters = new Map(
    PREVIEW_RESULTS.map((result) => [result, metrics.previewRequests.labels({ result })]),
  );
  return (result) => counters.get(result)?.inc();
}

interface BuilderNeighbours
  extends Omit<PreviewTargetsOptions, 'media'>, Pick<OembedAnswersOptions, 'providers'> {
  previews: PreviewServices;
}

function createBuilder(
  config: Config,
  parts: ContextParts,
  { previews, providers, ...gated }: BuilderNeighbours,
): PreviewBuilder {
  const { clock, logger, dialect, oembedRegistryFile } = parts;
  const { extraction } = config.previews;
  const { media, worker } = previews;
  const { convertOembed, extractPage } = worker;
  const fallback = new FallbackProviders(oembedRegistryFile);
  const maxCandidates = extraction === 'enhanced' ? MAX_TRIED : 1;
  const targets = new PreviewTargets({ ...gated, media: media.store });
  return new PreviewBuilder({
    targets,
    images: new PageImages({ targets, media: media.store, logger, maxCandidates }),
    oembed: new OembedAnswers({
      targets,
      logger,
      providers,
      fallback,
      extraction,
      convertOembed,
      isRequired: dialect.isOembedRequired,
    }),
    extraction,
    extractPage,
    clock,
    keys: imageKeys(config, parts),
  });
}

function createDownloader(
  config: Config,
  parts: ContextParts,
  { requestPolicies, queue }: Pick<PreviewServices, 'requestPolicies'> & { queue: FairQueue },
): Downloader {
  const { previews } = config;
  const { resolver, policy } = requestPolicies;
  const guard = {
    resolver,
    policy,
    ca: null,
    minTlsVersion: 'TLSv1.2',
    maxHandshakeBytes: MAX_HANDSHAKE_BYTES,
    onLargeHandshake: noteHandshake(parts),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  } as const;
  const route =
    previews.proxy_url === null
      ? { agents: createGuardedAgents(guard) }
      : createProxyRoute({ ...guard, proxyUrl: new URL(previews.proxy_url) });
  const contact = config.public_baseurl === null ? ')' : `; +${config.public_baseurl})`;
  const client = new HttpClient({
    ...route,
    userAgent: USER_AGENT_NAME + contact,
    acceptLanguage: config.url_preview_accept_language,
    responseTimeoutMs: previews.response_timeout,
  });
  return new Downloader({
    client,
    queue,
    resolver: previews.proxy_url === null ? resolver : null,
    fetchTimeoutMs: previews.fetch_timeout,
    maxBytes: config.max_spider_size,
  });
}

/** Downloads begin while there is memory for what they bring. */
function createQueue({ previews }: Config, bounds: PreviewBounds): { queue: FairQueue; budget: BodyBudget } {
  const budget = new BodyBudget(previews.max_body_memory, {
    onBound: () => bounds.note('body', 'total', ''),
    onRoom: () => queue.admit(),
  });
  const queue = createDownloadQueue({
    maxConcurrent: previews.max_concurrent,
    reserved: Math.floor(previews.max_concurrent / 2),
    maxConcurrentPerHost: MAX_DOWNLOADS_PER_HOST,
    maxQueued: previews.max_queued,
    hasMemory: (user) => budget.hasRoom(user),
    onLimit: bounds.noteFor('download'),
  });
  return { queue, budget };
}

function imageKeys(config: Config, { dialect }: ContextParts): ImageKeys {
  const scheme = config.media_scheme ?? dialect.mediaScheme;
  return {
    sizeKey: dialect.sizeKey,
    blurhashKey: dialect.sizeKey.replace(/:size$/, ':blurhash'),
    contentUri: (mediaId) => contentUri(scheme, config.server_name, mediaId),
  };
}
