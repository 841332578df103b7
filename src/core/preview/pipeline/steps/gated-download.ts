import type { Trace } from '../../../base/trace.js';
import type { Download, DownloadKind } from '../../download/download.js';
import type { Downloader } from '../../download/downloader.js';
import type { HitStage } from '../blacklist-hit-store.js';
import type { BodyBudget } from '../body-budget.js';
import type { PreviewJob } from '../preview-job.js';
import type { UrlGate } from './url-gate.js';

/** What is downloaded, and for which part of a preview. */
export interface GatedRequest {
  url: string;
  kind: DownloadKind;
  stage: HitStage;
  allowDataUrls: boolean;
  trace: Trace;
}

/** What it is downloaded with. */
export interface GatedDownloader {
  downloader: Pick<Downloader, 'download'>;
  gate: UrlGate;
  budget: BodyBudget;
}

/** A download whose body is held in memory, and counts as that, until it is let go. */
export interface HeldDownload extends Download {
  release: () => void;
}

const GONE = Buffer.alloc(0);

/** Downloads for a preview; the gate judges each address on the way, and what refuses one is kept for operators. */
export async function gatedDownload(
  { downloader, gate, budget }: GatedDownloader,
  { stage, ...request }: GatedRequest,
  { asker, signal, acceptLanguage, userId, requestId }: PreviewJob,
): Promise<HeldDownload> {
  const { onHop, noteFailure } = gate.watch({ stage, userId, requestId });
  const language = acceptLanguage === undefined ? {} : { acceptLanguage };
  try {
    const download = await downloader.download({ signal, onHop, asker, ...request, ...language });
    const end = budget.hold(asker, download.body);
    const held: HeldDownload = {
      ...download,
      release: () => {
        held.body = GONE;
        end();
      },
    };
    return held;
  } catch (error) {
    noteFailure(error);
    throw error;
  }
}
