import { useEffect, useRef } from 'react';

import { useAnnounce } from '../../live/announcer.js';
import { useWatchedRun } from '../../live/use-watched-run.js';
import { text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { takeRunRequest } from './try-href.js';
import { inputOf, type TryOptions } from './try-options.js';
import { tryPreviewMutation } from './try-query.js';

const SHAPE = { url: text(), of: text() };

/** Trying an address. The address bar keeps it, not the result. `options` are those of a run asked for by a link. */
export function useTrial(options: TryOptions) {
  const [{ url, of }, change] = useSearchParams(SHAPE);
  const announce = useAnnounce();
  const { start, cancel, ...run } = useWatchedRun(tryPreviewMutation);
  const asked = useRef(false);
  const tryIt = async (wanted: string, chosen: TryOptions) => {
    asked.current = true;
    if (wanted !== url) change({ url: wanted, of: '' }, { push: true });
    const stored = wanted === url && of !== '' ? { of } : {};
    const data = await start({ ...inputOf(wanted, chosen), ...stored });
    const trace = data?.tryPreview.trace ?? null;
    announce(trace === null ? 'Not tried' : `Clients get ${trace.status}`);
  };
  // A pasted address only fills the box: opening a link must not make this server fetch.
  useEffect(() => {
    if (!asked.current && url !== '' && takeRunRequest()) void tryIt(url, options);
  });
  // Whoever went back in the history sees another address.
  const isShown = run.variables?.url === url;
  return { url, run: isShown ? run : null, isBusy: run.state === 'running', tryIt, cancel };
}

export type ShownTrial = NonNullable<ReturnType<typeof useTrial>['run']>;
