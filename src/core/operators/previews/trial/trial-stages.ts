import type { PreviewSource } from '../../../preview/build/job.js';
import { PREVIEW_STAGES, type PreviewStage } from '../../../preview/build/steps.js';
import type { TimedStep } from '../../../base/trace.js';
import { adviceFor } from '../failure-advice.js';

/** What stages are called. */
export const STAGE_TITLES: ReadonlyMap<string, string> = new Map<PreviewStage, string>([
  ['rules', 'URL rules'],
  ['memory', 'Memory cache'],
  ['stored', 'Stored previews'],
  ['oembed_lookup', 'oEmbed look-up'],
  ['dns', 'Name resolution'],
  ['address', 'Address check'],
  ['connect', 'Connect'],
  ['tls', 'TLS'],
  ['redirects', 'Redirects'],
  ['download', 'Download'],
  ['decode', 'Decode'],
  ['parse', 'Parse'],
  ['oembed_discovery', 'oEmbed discovery'],
  ['picture', 'Image'],
  ['thumbnails', 'Thumbnails'],
  ['title_fallback', 'Title fallback'],
  ['prune', 'Prune'],
  ['store', 'Store'],
]);

/** How a try ended, as far as it explains stages that were left out. */
export type TrialEnd = { source: PreviewSource } | 'kept' | 'failed';

const ORDER: ReadonlyMap<string, number> = new Map(PREVIEW_STAGES.map((stage, index) => [stage, index]));
const READING: ReadonlySet<string> = new Set(['decode', 'parse', 'oembed_discovery']);

const READ_INSTEAD: Record<PreviewSource, string> = {
  html: 'There was nothing to do.',
  image: 'The target is an image: there is no page to read.',
  oembed_url: 'An oEmbed answer was read, not a page.',
  oembed_discovered: 'There was nothing to do.',
  other: 'Nothing can be read from a target of this type.',
};

/** All stages with title and advice: those that were told as they came, the others in their place as skipped. */
export function allStages(steps: readonly TimedStep[], end: TrialEnd): TimedStep[] {
  const all = steps.map(describeStage);
  for (const stage of PREVIEW_STAGES) {
    if (all.some(({ name }) => name === stage)) continue;
    const index = all.findLastIndex(({ name }) => (ORDER.get(name) ?? 0) < (ORDER.get(stage) ?? 0)) + 1;
    const before = all[index - 1];
    const startedAtMs = before === undefined ? 0 : before.startedAtMs + before.ms;
    const sentence = whySkipped(stage, end, all);
    all.splice(index, 0, { name: stage, status: 'skipped', ms: 0, startedAtMs, sentence });
  }
  return all.map(titled);
}

/** A stage as operators see it while the try goes on: with title and advice. */
export function describeStage(step: TimedStep): TimedStep {
  return titled(withAdvice(step));
}

function titled(step: TimedStep): TimedStep {
  return { ...step, title: step.title ?? STAGE_TITLES.get(step.name) ?? step.name };
}

function withAdvice(step: TimedStep): TimedStep {
  if (step.status !== 'failed' && step.status !== 'warning') return step;
  const reason = step.detail?.['reason'];
  const advice = typeof reason === 'string' ? adviceFor(reason) : null;
  return advice === null ? step : { ...step, advice };
}

function whySkipped(stage: PreviewStage, end: TrialEnd, steps: readonly TimedStep[]): string {
  const isProxied = steps.some(({ detail }) => detail?.['proxy'] !== undefined);
  if (isProxied && (stage === 'dns' || stage === 'address' || stage === 'tls')) return 'The proxy does this.';
  if (end === 'failed') return 'Not reached.';
  if (end === 'kept') return 'Not needed: what is kept answers.';
  if (READING.has(stage)) return READ_INSTEAD[end.source];
  if (stage === 'picture' && end.source === 'image') return 'The target is the image.';
  return stage === 'thumbnails' ? 'There is no image.' : 'There was nothing to do.';
}
