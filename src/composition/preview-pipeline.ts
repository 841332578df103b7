import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Config } from '../config/schema.js';
import { directRoute } from '../core/net/http/agents.js';
import { proxyRoute } from '../core/net/http/proxy-route.js';
import { Downloader } from '../core/preview/download/downloader.js';
import { MAX_TRIED } from '../core/preview/extract/images.js';
import { HttpClient } from '../core/preview/download/http-client.js';
import { userClient } from '../core/base/client.js';
import { FairQueue } from '../core/base/fair-queue.js';
import { tooBusy } from '../core/preview/download/download-errors.js';
import { contentUri } from '../core/preview/media/media-paths.js';
import { FallbackProviders, loadOembedProviders } from '../core/preview/oembed/oembed-providers.js';
import { BodyBudget, PreviewTargets } from '../core/preview/build/targets.js';
import type { PreviewBounds } from '../core/preview/pipeline/preview-bounds.js';
import { PreviewBuilder } from '../core/preview/build-preview.js';
import { PreviewStore } from '../core/preview/pipeline/preview-store.js';
import { PREVIEW_RESULTS, Previewer, type PreviewerOptions } from '../core/preview/pipeline/previewer.js';
import { OembedAnswers } from '../core/preview/build/oembed.js';
import { PageImages, type ImageKeys } from '../core/preview/build/page-image.js';
import { UrlGate } from '../core/preview/pipeline/url-gate.js';
import { feature } from './features.js';
import { MAX_HANDSHAKE_BYTES, type ContextParts } from './parts.js';
import type { PreviewServices } from './preview.js';

export type Pipeline = Awaited<ReturnType<typeof createPipeline>>;

/** Names the operator of this crawler can be asked under; carries no version (SPEC §4.7.5). */
const USER_AGENT_NAME = 'Vidimus (bot';
const CONNECT_TIMEOUT_MS = 5000;
/** For the head of an answer. */
const RESPONSE_TIMEOUT_MS = 15_000;
/** The third is for another user. */
const MAX_DOWNLOADS_PER_HOST = 3;

/** Builds it over what stores previews. Rejects when a file of oEmbed providers is unfit. */
export async function createPipeline(parts: ContextParts, previews: PreviewServices) {
  const { config, clock, database, metrics } = parts;
  const { requestPolicies, hits, cache, forgetting, worker } = previews;
  const gate = new UrlGate({ ...requestPolicies, hits, clock });
  const { queue, budget } = createQueue(config, previews.bounds);
  metrics.observePreviewWork('download', () => queue.load);
  const downloader = createDownloader(parts, { requestPolicies, queue });
  const targets = new PreviewTargets({ downloader, gate, budget, media: previews.media.store });
  const previewer = new Previewer({
    gate,
    cache,
    store: new PreviewStore(database),
    builder: await createBuilder(parts, { previews, targets }),
    rateLimit: requestPolicies.rateLimit,
    clock,
    previewTimeoutMs: config.previews.preview_timeout,
    onResult: noteResults(parts),
    isBusy: (userId) => queue.waitingOf(userClient(userId)) > 0,
    forget: (url) => forgetting.forget([url]),
  });
  const ending = new AbortController();
  /** Loads what the first preview would wait for, in turns of the event loop. */
  const warmUp = async (): Promise<void> => {
    await Promise.all([worker.warmUp(ending.signal), nextTurn().then(() => downloader.prepare())]);
  };
  const close = (): Promise<void> => {
    ending.abort();
    return previewer.close();
  };
  return feature({ previewer, warmUp }, { close });
}

function noteResults({ metrics }: ContextParts): PreviewerOptions['onResult'] {
  const counters = new Map(
    PREVIEW_RESULTS.map((result) => [result, metrics.previewRequests.labels({ result })]),
  );
  return (result) => counters.get(result)?.inc();
}

async function createBuilder(
  parts: ContextParts,
  { previews, targets }: { previews: PreviewServices; targets: PreviewTargets },
): Promise<PreviewBuilder> {
  const { config, clock, logger, dialect, oembedRegistryFile } = parts;
  const { extraction } = config.previews;
  const { convertOembed, extractPage } = previews.worker;
  const providers = await loadOembedProviders({
    useDefaults: !config.oembed.disable_default_providers,
    additionalFiles: config.oembed.additional_providers,
    logger,
  });
  const maxCandidates = extraction === 'enhanced' ? MAX_TRIED : 1;
  return new PreviewBuilder({
    targets,
    images: new PageImages({ targets, media: previews.media.store, logger, maxCandidates }),
    oembed: new OembedAnswers({
      targets,
      logger,
      providers,
      fallback: new FallbackProviders(oembedRegistryFile),
      extraction,
      convertOembed,
      isRequired: dialect.isOembedRequired,
    }),
    extraction,
    extractPage,
    clock,
    keys: imageKeys(parts),
  });
}

function createDownloader(
  parts: ContextParts,
  { requestPolicies, queue }: Pick<PreviewServices, 'requestPolicies'> & { queue: FairQueue },
): Downloader {
  const { config } = parts;
  const { previews } = config;
  const { resolver, policy } = requestPolicies;
  const guard = {
    resolver,
    policy,
    ca: null,
    minTlsVersion: 'TLSv1.2',
    maxHandshakeBytes: MAX_HANDSHAKE_BYTES,
    onLargeHandshake: (host: string) => parts.handshakes.note('handshake_bytes', { host }),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  } as const;
  const route =
    previews.proxy_url === null
      ? directRoute(guard)
      : proxyRoute({ ...guard, proxyUrl: new URL(previews.proxy_url) });
  const contact = config.public_baseurl === null ? ')' : `; +${config.public_baseurl})`;
  const client = new HttpClient({
    route,
    userAgent: USER_AGENT_NAME + contact,
    acceptLanguage: config.url_preview_accept_language,
    responseTimeoutMs: RESPONSE_TIMEOUT_MS,
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
  // Groups are hosts: neither a slow site nor a busy user holds up the others.
  const queue = new FairQueue({
    maxRunning: previews.max_concurrent,
    maxRunningPerGroup: MAX_DOWNLOADS_PER_HOST,
    maxWaiting: previews.max_queued,
    mayStart: (client) => budget.hasRoom(client),
    refused: (detail) => tooBusy(`downloads: ${detail}`),
    onLimit: bounds.noteFor('download'),
  });
  return { queue, budget };
}

function imageKeys({ config, dialect }: ContextParts): ImageKeys {
  const scheme = config.media_scheme ?? dialect.mediaScheme;
  return {
    sizeKey: dialect.sizeKey,
    contentUri: (mediaId) => contentUri(scheme, config.server_name, mediaId),
  };
}
