import { setImmediate as nextTurn } from 'node:timers/promises';

import { directRoute, proxyRoute } from '../core/net/http/outbound-route.js';
import { Downloader } from '../core/preview/download/downloader.js';
import { MAX_TRIED } from '../core/preview/extract/images.js';
import { HttpClient } from '../core/preview/download/http-client.js';
import type { FairQueue } from '../core/base/fair-queue.js';
import { contentUri } from '../core/preview/media/media-paths.js';
import { FallbackProviders, loadOembedProviders } from '../core/preview/oembed/oembed-providers.js';
import { downloadQueue, PreviewTargets } from '../core/preview/build/targets.js';
import { PreviewBuilder } from '../core/preview/build-preview.js';
import { PreviewStore } from '../core/preview/pipeline/preview-store.js';
import { Previewer, type PreviewerOptions, type PreviewResult } from '../core/preview/pipeline/previewer.js';
import { OembedAnswers } from '../core/preview/build/oembed.js';
import { PageImages, type ImageKeys } from '../core/preview/build/page-image.js';
import { feature } from './features.js';
import { MAX_HANDSHAKE_BYTES, type ContextParts } from './parts.js';
import type { PreviewServices } from './preview.js';

export type Pipeline = Awaited<ReturnType<typeof createPipeline>>;

/** Names the operator of this crawler can be asked under; carries no version (SPEC §4.7.5). */
const USER_AGENT_NAME = 'Vidimus (bot';
const CONNECT_TIMEOUT_MS = 5000;
/** For the head of an answer. */
const RESPONSE_TIMEOUT_MS = 15_000;

/** Builds it over what stores previews. Rejects when a file of oEmbed providers is unfit. */
export async function createPipeline(parts: ContextParts, previews: PreviewServices) {
  const { config, clock, database, metrics } = parts;
  const { requestPolicies, hits, cache, forgetting, worker } = previews;
  const {
    max_concurrent: maxRunning,
    max_queued: maxWaiting,
    max_body_memory: maxBodyBytes,
  } = config.previews;
  const { queue, budget } = downloadQueue({ maxRunning, maxWaiting, maxBodyBytes }, previews.bounds);
  metrics.observePreviewWork('download', () => queue.load);
  const downloader = createDownloader(parts, { requestPolicies, queue });
  const media = previews.media.store;
  const { rules, policy, rateLimit } = requestPolicies;
  const targets = new PreviewTargets({ downloader, rules, policy, hits, budget, media });
  const previewer = new Previewer({
    targets,
    queue,
    cache,
    forgetting,
    store: new PreviewStore(database),
    builder: await createBuilder(parts, { previews, targets }),
    rateLimit,
    clock,
    previewTimeoutMs: config.previews.preview_timeout,
    results: countersOf(parts),
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

function countersOf({ metrics }: ContextParts): PreviewerOptions['results'] {
  const counter = (result: PreviewResult) => metrics.previewRequests.labels({ result });
  return {
    memory: counter('memory'),
    stored: counter('stored'),
    made: counter('made'),
    failed: counter('failed'),
    blocked: counter('blocked'),
    left: counter('left'),
  };
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
    images: new PageImages({
      targets,
      media: previews.media.store,
      logger,
      maxCandidates,
      keys: imageKeys(parts),
    }),
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

function imageKeys({ config, dialect }: ContextParts): ImageKeys {
  const scheme = config.media_scheme ?? dialect.mediaScheme;
  return {
    sizeKey: dialect.sizeKey,
    contentUri: contentUri(scheme, config.server_name, ''),
  };
}
