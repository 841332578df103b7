import { randomUUID } from 'node:crypto';

import { proxyPlan } from '../../config/output/proxy/proxy-plan.js';
import { publicUrlOf } from '../../config/public-url.js';
import type { Config } from '../../config/schema.js';
import type { AccessTokenStore } from '../../core/access/users/access-token-store.js';
import { MINUTE_MS } from '../../core/base/clock.js';
import { Deadline } from '../../core/base/deadline.js';
import { userAsker } from '../../core/base/places/asker.js';
import { typedCommand } from '../../core/base/text/command-line.js';
import { MediaRemoval } from '../../core/operators/media/media-removal.js';
import { TrialMedia } from '../../core/operators/previews/trial/trial-media.js';
import { previewProbe, type PreviewProbeOptions } from '../../core/operators/probes/preview-probe.js';
import type { Probe } from '../../core/operators/probes/probe.js';
import { handOver, PROBE_URL } from '../../core/operators/probes/probe-page.js';
import { ExpiredStore } from '../../core/preview/cleanup/expired-store.js';
import type { ContextParts } from '../parts.js';
import type { PreviewServices } from '../preview.js';
import { askedWithin } from './asked-within.js';

interface ProofNeighbours {
  tokens: AccessTokenStore;
  previews: PreviewServices;
}

const PROBE = 'vidimus-probe';

/** Builds what tries whether previews are made and shown; none where this process makes none. */
export function createPreviewProof(
  config: Config,
  parts: ContextParts,
  { tokens, previews }: ProofNeighbours,
): Probe[] {
  const { routes } = proxyPlan(config);
  if (!config.url_preview_enabled || routes.every(({ resource }) => resource !== 'previews')) return [];
  const base = mediaBaseOf(config);
  const media = {
    url: `${base.url}${parts.dialect.pathPrefix}/client/v1/media`,
    serverName: config.server_name,
    isPublic: base.isPublic,
  };
  const command = typedCommand(parts.commandLine, 'config proxy nginx');
  return [
    previewProbe({
      media,
      command,
      ...createMaking(config, parts, previews),
      load: (url, token, signal) => {
        const headers = new Map(token === null ? [] : [['Authorization', `Bearer ${token}`]]);
        return askedWithin({ url: new URL(url), headers: Object.fromEntries(headers) }, signal);
      },
      ...createLoan(config, parts, { tokens, previews }),
    }),
  ];
}

/** What is lent and made for the time of one proof. */
function createLoan(
  config: Config,
  { clock, logger, database }: ContextParts,
  { tokens, previews }: ProofNeighbours,
): Pick<PreviewProbeOptions, 'withToken' | 'forget'> {
  const expired = new ExpiredStore(database);
  const removal = new MediaRemoval({ expired, files: previews.media.files, clock, logger });
  const media = new TrialMedia(removal, logger);
  const userId = `@${PROBE}:${config.server_name}`;
  return {
    withToken: (work) => {
      if (!config.enable_authenticated_media) return work(null);
      const expiresTs = clock.now() + MINUTE_MS;
      return tokens.lend({ userId, label: 'health probe', expiresTs, createdBy: PROBE }, work);
    },
    forget: (mediaIds) => media.drop(mediaIds, null),
  };
}

/** The first use builds it: most commands never do. */
function createMaking(
  config: Config,
  parts: ContextParts,
  previews: PreviewServices,
): Pick<PreviewProbeOptions, 'make' | 'download'> {
  const build = async () => {
    const { createProvedPipeline } = await import('../preview-pipeline.js');
    return createProvedPipeline(config, parts, { previews, handOver });
  };
  let built: ReturnType<typeof build> | null = null;
  const within = async <T>(
    signal: AbortSignal,
    work: (pipeline: Awaited<ReturnType<typeof build>>, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    built ??= build();
    const pipeline = await built;
    const deadline = new Deadline(config.previews.preview_timeout, signal);
    try {
      return await work(pipeline, deadline.signal);
    } catch (error) {
      throw deadline.signal.aborted && !signal.aborted ? deadline.error('timeout_headers', PROBE_URL) : error;
    } finally {
      deadline.close();
    }
  };
  const requestId = randomUUID();
  const job = { url: PROBE_URL, userId: PROBE, requestId, asker: userAsker(PROBE, requestId) };
  return {
    make: (watch, outer) =>
      within(outer, ({ builder }, signal) => builder.build({ ...job, ...watch, signal })),
    download: (url, outer) =>
      within(outer, async ({ downloader }, signal) => {
        const wanted = { url, kind: 'page', allowDataUrls: false, asker: job.asker, signal } as const;
        return (await downloader.download(wanted)).body;
      }),
  };
}

/** `public_baseurl`; without it a listener with media, and where that cannot be known the public name. */
function mediaBaseOf(config: Config): { url: string; isPublic: boolean } {
  const to = proxyPlan(config).routes.find(({ resource }) => resource === 'media')?.to;
  const isKnown = to !== undefined && !to.isTls && !to.address.endsWith(':0');
  if (config.public_baseurl === null && isKnown) return { url: `http://${to.address}`, isPublic: false };
  return { url: publicUrlOf(config), isPublic: true };
}
