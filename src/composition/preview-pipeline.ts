import { setImmediate as nextTurn } from 'node:timers/promises';

import { directRoute, proxyRoute } from '../core/net/http/outbound-route.js';
import { Downloader } from '../core/preview/download/downloader.js';
import { MAX_TRIED } from '../core/preview/extract/images.js';
import { HttpClient } from '../core/preview/download/http-client.js';
import { remembered } from '../core/base/runtime/cache.js';
import type { FairQueue } from '../core/base/fair-queue.js';
import { contentUri } from '../core/preview/media/media-paths.js';
import { loadFallbackProviders, loadOembedProviders } from '../core/preview/oembed/oembed-providers.js';
import { PreviewTargets, PageImages } from '../core/preview/build/targets.js';
import { downloadQueue } from '../core/preview/pipeline/preview-bounds.js';
import { PreviewBuilder } from '../core/preview/build-preview.js';
import { PreviewStore } from '../core/preview/pipeline/preview-store.js';
import { Previewer } from '../core/preview/pipeline/previewer.js';
import { OembedAnswers } from '../core/preview/build/oembed.js';
import { feature } from './features.js';
import type { ContextParts } from './parts.js';
import type { PreviewServices } from './preview.js';

/** Names the operator of this crawler can be asked under; carries no version (SPEC §4.7.5). */
const USER_AGENT_NAME = 'Vidimus (bot';
const CONNECT_TIMEOUT_MS = 5000;
/** For the head of an answer. */
const RESPONSE_TIMEOUT_MS = 15_000;

/** Builds it over what stores previews. Rejects when a file of oEmbed providers is unfit. */
export async function createPipeline(parts: ContextParts, previews: PreviewServices) {
  const { config, clock, database, metrics } = parts;
  const { requestPolicies, hits, cache, forgetting, worker, media } = previews;
  const {
    max_concurrent: maxRunning,
    max_queued: maxWaiting,
    max_body_memory: maxBodyBytes,
  } = config.previews;
  const { queue, budget } = downloadQueue({ maxRunning, maxWaiting, maxBodyBytes }, previews.bounds);
  metrics.observePreviewWork('download', () => queue.load);
  const downloader = createDownloader(parts, previews, queue);
  const targets = new PreviewTargets({ ...requestPolicies, downloader, hits, budget, media: media.store });
  const previewer = new Previewer({
    targets,
    queue,
    cache,
    forgetting,
    store: new PreviewStore(database),
    builder: await createBuilder(parts, previews, targets),
    rateLimit: requestPolicies.rateLimit,
    clock,
    previewTimeoutMs: config.previews.preview_timeout,
    count: (result) => metrics.previewRequests.inc({ result }),
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

async function createBuilder(parts: ContextParts, { worker }: PreviewServices, targets: PreviewTargets) {
  const { config, clock, logger, dialect, oembedRegistryFile } = parts;
  const { extraction } = config.previews;
  const { convertOembed, extractPage } = worker;
  const providers = await loadOembedProviders({
    useDefaults: !config.oembed.disable_default_providers,
    additionalFiles: config.oembed.additional_providers,
    logger,
  });
  const scheme = config.media_scheme ?? dialect.mediaScheme;
  const keys = { sizeKey: dialect.sizeKey, contentUri: contentUri(scheme, config.server_name, '') };
  const maxCandidates = extraction === 'enhanced' ? MAX_TRIED : 1;
  const fallback = remembered(() => loadFallbackProviders(oembedRegistryFile));
  const isRequired = dialect.isOembedRequired;
  return new PreviewBuilder({
    targets,
    images: new PageImages({ targets, logger, maxCandidates, keys }),
    oembed: new OembedAnswers({
      targets,
      logger,
      providers,
      fallback,
      extraction,
      convertOembed,
      isRequired,
    }),
    extraction,
    extractPage,
    clock,
  });
}

function createDownloader({ config, handshakes }: ContextParts, previews: PreviewServices, queue: FairQueue) {
  const { proxy_url: proxyUrl, fetch_timeout: fetchTimeoutMs } = config.previews;
  const { resolver, policy } = previews.requestPolicies;
  const guard = {
    resolver,
    policy,
    ca: null,
    onLargeHandshake: (host: string) => handshakes.note('handshake_bytes', { host }),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  } as const;
  const route =
    proxyUrl === null ? directRoute(guard) : proxyRoute({ ...guard, proxyUrl: new URL(proxyUrl) });
  const contact = config.public_baseurl === null ? ')' : `; +${config.public_baseurl})`;
  const client = new HttpClient({
    route,
    userAgent: USER_AGENT_NAME + contact,
    acceptLanguage: config.url_preview_accept_language,
    responseTimeoutMs: RESPONSE_TIMEOUT_MS,
  });
  const maxBytes = config.max_spider_size;
  return new Downloader({
    client,
    queue,
    resolver: proxyUrl === null ? resolver : null,
    fetchTimeoutMs,
    maxBytes,
  });
}
