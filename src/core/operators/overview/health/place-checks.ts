import { counted } from '../../../base/text/counted.js';
import type { PreviewBounds } from '../../../preview/pipeline/preview-bounds.js';
import { fine, warning } from './health-check.js';
import type { Finding, NamedCheck } from './health-check.js';

/** Whether previews had to wait for one another, or were refused. */
export function placeChecks(bounds: Pick<PreviewBounds, 'reached'>): NamedCheck[] {
  return [{ key: 'preview_places', title: 'Places for previews', look: async () => checkPlaces(bounds) }];
}

function checkPlaces({ reached }: Pick<PreviewBounds, 'reached'>): Finding {
  const refusals = reached.filter(({ bound }) => bound.endsWith('_waiting'));
  const sum = (list: typeof reached): number => list.reduce((all, { times }) => all + times, 0);
  const waits = sum(reached) - sum(refusals);
  if (refusals.length === 0)
    return fine(`${counted(waits, 'wait')} for a place in the last hour, and nothing was refused.`);
  return warning(
    `${counted(sum(refusals), 'preview')} found a full queue in the last hour.`,
    'The log names the bounds. previews.max_queued and previews.max_concurrent admit more.',
    '/settings?q=previews.max',
  );
}
