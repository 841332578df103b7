import { downloadFailed } from '../../download/download-errors.js';
import { MAX_REDIRECTS } from '../../download/redirect-target.js';
import type { ExtractPage, PageExtract } from '../../extract/extract-page.js';
import { withoutFragment } from '../../extract/page-address.js';
import type { PreviewJob } from '../preview-job.js';
import { tell, tellPage } from './preview-steps.js';
import type { Target, TargetStep } from './target-step.js';

/** What the step is built from. */
export interface PageStepOptions {
  targets: TargetStep;
  extraction: 'standard' | 'enhanced';
  extractPage: ExtractPage;
}

/** Where a preview arrives, and what it says there; `null` for what is no page or cannot be read. */
export interface Arrival {
  target: Target;
  page: PageExtract | null;
}

const MAX_REFRESHES = 3;

/** Reads pages, and goes where they lead by themselves (SPEC §4.7.5, §4.7.14). */
export class PageStep {
  constructor(private readonly options: PageStepOptions) {}

  /**
   * Reads a target that is a page; one that leads on is followed up to three times, as by a redirect: under the same
   * rules, with the same errors, and not to where it has been. Other targets are left unread.
   */
  async arrive(first: Target, job: PreviewJob): Promise<Arrival> {
    let target = first;
    let followed = target.head.redirects;
    const seen = new Set([withoutFragment(job.url), target.head.finalUrl]);
    for (let refreshes = 0; ; refreshes += 1) {
      const page = await this.#read(target, job);
      const next = page?.interstitial === null && refreshes < MAX_REFRESHES ? page.refresh : null;
      if (next === null || seen.has(withoutFragment(next))) return { target, page };
      tell(job.trace, 'redirects', {
        status: 'ok',
        sentence: `The page leads to ${next}`,
        detail: { to: next },
      });
      const { isOembed } = target;
      target = await this.options.targets.fetch(next, { isOembed, stage: 'redirect', job });
      followed += 1 + target.head.redirects;
      seen.add(withoutFragment(next)).add(target.head.finalUrl);
      if (followed > MAX_REDIRECTS) {
        target.drop();
        throw downloadFailed('redirect_loop', `more than ${MAX_REDIRECTS} redirects`);
      }
    }
  }

  async #read(target: Target, job: PreviewJob): Promise<PageExtract | null> {
    const { contentType, finalUrl, headers } = target.head;
    if (!isHtmlType(contentType)) return null;
    job.trace.begin?.('decode');
    const startMs = performance.now();
    const page = await target.read((body) =>
      this.options.extractPage(
        { body, contentType, url: finalUrl, requestedUrl: job.url, headers: Object.fromEntries(headers) },
        {
          mode: this.options.extraction,
          asker: job.asker,
          signal: job.signal,
          mayTake: true,
        },
      ),
    );
    tellPage(job.trace, page, startMs);
    return page;
  }
}

/** `text/html…` and `application/xhtml…` in any case. */
export function isHtmlType(contentType: string): boolean {
  return /^(?:text\/html|application\/xhtml)/i.test(contentType);
}
