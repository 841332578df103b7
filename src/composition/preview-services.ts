import type { Config } from '../config/schema.js';
import type { ContextParts } from './context.js';
import { MediaSweep } from '../core/preview/cleanup/media-sweep.js';
import type { PreviewCleanup } from '../core/preview/cleanup/preview-cleanup.js';
import { Downloader } from '../core/preview/download/downloader.js';
import { MAX_TRIED } from '../core/preview/extract/images/image-limits.js';
import { FetchLanes } from '../core/preview/download/fetch-lanes.js';
import { HttpClient } from '../core/preview/download/http-client.js';
import { createGuardedAgents } from '../core/net/http/guarded-agents.js';
import { createProxyRoute } from '../core/net/http/proxy-route.js';
import { contentUri } from '../core/preview/media/content-uri.js';
import type { MediaFiles } from '../core/preview/media/media-files.js';
import { MediaReader } from '../core/preview/media/media-reader.js';
import { MediaWriters } from '../core/preview/media/media-writers.js';
import { loadSqliteDriver } from '../core/store/sqlite/driver.js';
import { loadOembedProviders } from '../core/preview/oembed/oembed-providers.js';
import { RescueProviders } from '../core/preview/oembed/rescue-providers.js';
import { BodyBudget } from '../core/preview/pipeline/body-budget.js';
import { TargetStep } from '../core/preview/pipeline/steps/target-step.js';
import { BlacklistHitStore } from '../core/preview/pipeline/blacklist-hit-store.js';
import { ImageStep } from '../core/preview/pipeline/steps/image-step.js';
import { OembedStep } from '../core/preview/pipeline/steps/oembed-step.js';
import type { ImageKeys } from '../core/preview/pipeline/steps/open-graph-image.js';
import { PreviewBuilder } from '../core/preview/pipeline/preview-builder.js';
import { PreviewCache } from '../core/preview/pipeline/preview-cache.js';
import { failureLifetimeMs } from '../core/preview/pipeline/failure-lifetime.js';
import { PREVIEW_RESULTS, Previewer } from '../core/preview/pipeline/previewer.js';
import { PreviewStore } from '../core/preview/pipeline/preview-store.js';
import { UrlGate } from '../core/preview/pipeline/steps/url-gate.js';
import { createGatekeepers } from './gatekeepers.js';
import type { Gatekeepers } from './gatekeepers.js';
import type { JobServices } from './job-services.js';
import type { MediaJobOptions, ScheduledJob } from '../jobs/media-job.js';
import { mediaSweepJob } from '../jobs/media-sweep.js';
import { previewCleanupJob } from '../jobs/preview-cleanup.js';
import { createCleanup } from './cleanup-services.js';
import { createMediaParts } from './media-services.js';
import type { MediaParts } from './media-services.js';
import { createWorkerServices } from './worker-services.js';
import type { WorkerServices } from './worker-services.js';

/** What previews are built over. */
export type PreviewParts = Pick<
  ContextParts,
  'clock' | 'logger' | 'metrics' | 'database' | 'dialect' | 'oembedRegistryFile'
>;

/** The previewer and its parts, alive while the store is open. */
export interface PreviewServices {
  previewer: Previewer;
  cache: PreviewCache;
  hits: BlacklistHitStore;
  mediaReader: MediaReader;
  mediaFiles: MediaFiles;
  cleanup: PreviewCleanup;
  sweep: MediaSweep;
  gatekeepers: Gatekeepers;
  jobs: readonly ScheduledJob[];
  start(): void;
  close(): Promise<void>;
}

/** Names the operator of this crawler can be asked under; carries no version (§4.7.5). */
const USER_AGENT_NAME = 'Vidimus (bot';
/** Beyond it no download begins; those that run are bounded by their number and max_spider_size. */
const MAX_WAITING_BODY_BYTES = 64 * 1024 * 1024;
const MAX_REMEMBERED_PREVIEWS = 100_000;

/** Builds the previewer over an open and migrated store. */
export async function createPreviewServices(
  config: Config,
  parts: PreviewParts,
  jobServices: JobServices,
): Promise<PreviewServices> {
  const { clock, logger, metrics, database } = parts;
  const worker = createWorkerServices(parts);
  const media = createMediaParts(config, parts, worker.hands);
  const hits = new BlacklistHitStore(database, logger);
  const gatekeepers = createGatekeepers(config, parts);
  const gate = new UrlGate({ ...gatekeepers, hits, clock });
  const downloader = createDownloader(config, gatekeepers);
  const builder = await createBuilder(config, parts, { gate, downloader, media, worker });
  const cache = createCache(config, parts);
  const counters = new Map(
    PREVIEW_RESULTS.map((result) => [result, metrics.previewRequests.labels({ result })]),
  );
  const previewer = new Previewer({
    gate,
    cache,
    store: new PreviewStore(database),
    builder,
    rateLimit: gatekeepers.rateLimit,
    clock,
    previewTimeoutMs: config.previews.preview_timeout,
    onResult: (result) => counters.get(result)?.inc(),
  });
  const writers = await joinWriters(config, parts);
  return assemble(config, parts, {
    media,
    worker,
    writers,
    hits,
    previewer,
    cache,
    jobServices,
    gatekeepers,
  });
}

interface BuilderParts {
  gate: UrlGate;
  downloader: Downloader;
  media: MediaParts;
  worker: WorkerServices;
}

async function createBuilder(
  config: Config,
  parts: PreviewParts,
  { gate, downloader, media, worker }: BuilderParts,
): Promise<PreviewBuilder> {
  const { clock, logger, oembedRegistryFile } = parts;
  const { extraction } = config.previews;
  const { convertOembed, extractPage } = worker;
  const providers = await loadOembedProviders({
    useDefaults: !config.oembed.disable_default_providers,
    additionalFiles: config.oembed.additional_providers,
    logger,
  });
  const rescue = new RescueProviders(oembedRegistryFile);
  const maxCandidates = extraction === 'enhanced' ? MAX_TRIED : 1;
  const budget = new BodyBudget(MAX_WAITING_BODY_BYTES);
  return new PreviewBuilder({
    targets: new TargetStep({ downloader, media: media.store, gate, budget }),
    images: new ImageStep({ downloader, media: media.store, gate, logger, maxCandidates }),
    oembed: new OembedStep({ downloader, gate, providers, rescue, extraction, convertOembed }),
    clock,
    keys: imageKeys(config, parts),
    extraction,
    extractPage,
  });
}

function createCache(config: Config, { clock }: PreviewParts): PreviewCache {
  const transientLifetimeMs = config.previews.transient_failure_lifetime;
  return new PreviewCache({
    clock,
    maxBytes: config.previews.memory_cache_size,
    maxEntries: MAX_REMEMBERED_PREVIEWS,
    failureLifetimeMs: (error) => failureLifetimeMs(error, transientLifetimeMs),
  });
}

/** On SQLite all processes are on this machine and can be told; `null`: others may write at any time. */
async function joinWriters(config: Config, { logger }: PreviewParts): Promise<MediaWriters | null> {
  if (config.database.engine !== 'sqlite') return null;
  try {
    return await MediaWriters.join(`${config.database.path}-writers`, await loadSqliteDriver());
  } catch (error) {
    logger.warn(
      { err: error },
      'other processes that write media cannot be told; young strays are left alone',
    );
    return null;
  }
}

interface Assembly {
  media: MediaParts;
  worker: WorkerServices;
  writers: MediaWriters | null;
  hits: BlacklistHitStore;
  previewer: Previewer;
  cache: PreviewCache;
  jobServices: JobServices;
  gatekeepers: Gatekeepers;
}

function assemble(config: Config, parts: PreviewParts, made: Assembly): PreviewServices {
  const { media, worker, writers, hits, previewer, cache, jobServices, gatekeepers } = made;
  const stopping = new AbortController();
  const { cleanup, sweep } = createCleanup(
    config,
    { ...parts, runner: jobServices.runner },
    { ...media, isOnlyWriter: async () => (await writers?.isAlone()) ?? false },
  );
  const jobOptions = mediaJobOptions(config, parts, { jobServices, signal: stopping.signal });
  const sweeping = mediaSweepJob(sweep, jobOptions);
  const jobs = [previewCleanupJob(cleanup, jobOptions), sweeping];
  return {
    previewer,
    cache,
    hits,
    mediaReader: media.reader,
    mediaFiles: media.files,
    cleanup,
    sweep,
    gatekeepers,
    jobs,
    start: () => {
      for (const { job } of jobs) job?.start();
      void sweeping.job?.trigger();
    },
    close: async () => {
      stopping.abort();
      previewer.close();
      await Promise.all(jobs.map(async ({ job }) => job?.stop()));
      await previewer.settle();
      await hits.flush();
      await worker.close();
      await writers?.leave();
    },
  };
}

function mediaJobOptions(
  config: Config,
  { clock, logger }: PreviewParts,
  { jobServices, signal }: { jobServices: JobServices; signal: AbortSignal },
): MediaJobOptions {
  return {
    clock,
    logger,
    pauses: jobServices.pauses,
    signal,
    designatedInstance: config.media_instance_running_background_jobs,
    instance: config.jobs.instance,
  };
}

function createDownloader(config: Config, { resolver, policy }: Gatekeepers): Downloader {
  const { previews } = config;
  const guard = {
    resolver,
    policy,
    ca: null,
    minTlsVersion: 'TLSv1.2',
    connectTimeoutMs: previews.connect_timeout,
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
  const lanes = new FetchLanes({
    maxConcurrent: previews.max_concurrent,
    maxConcurrentPerHost: previews.max_concurrent_per_host,
    maxQueued: previews.max_queued,
  });
  return new Downloader({
    client,
    lanes,
    fetchTimeoutMs: previews.fetch_timeout,
    maxBytes: config.max_spider_size,
  });
}

function imageKeys(config: Config, { dialect }: PreviewParts): ImageKeys {
  const scheme = config.media_scheme ?? dialect.mediaScheme;
  return {
    sizeKey: dialect.sizeKey,
    blurhashKey: dialect.sizeKey.replace(/:size$/, ':blurhash'),
    contentUri: (mediaId) => contentUri({ scheme, serverName: config.server_name, mediaId }),
  };
}
