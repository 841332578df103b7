import { useEffect, useRef } from 'react';

import { toRequestError, type RequestError } from '../../api/request-error.js';
import { useChange } from '../../api/use-change.js';
import type { TryPreviewMutation } from '../../gql/graphql.js';
import { useAnnounce } from '../../live/announcer.js';
import { text, useSearchParams } from '../../url/search-params.js';
import { takeRunRequest } from './try-href.js';
import { inputOf, type TryOptions } from './try-options.js';
import { tryPreviewMutation } from './try-query.js';

const SHAPE = { url: text() };

export interface TrialState {
  /** The address in the address bar; empty = none yet. */
  url: string;
  isBusy: boolean;
  /** What came of trying `url`; null before that, and while it is tried. */
  outcome: { payload: TryPreviewMutation['tryPreview'] | undefined; error: RequestError | null } | null;
  run: (url: string, options: TryOptions) => void;
}

/** Trying an address. The address bar keeps it, not the result. `options` are those of a run asked for by a link. */
export function useTrial(options: TryOptions): TrialState {
  const [{ url }, change] = useSearchParams(SHAPE);
  const announce = useAnnounce();
  const { mutate, data, error, isPending, variables } = useChange(tryPreviewMutation);
  const run = (wanted: string, chosen: TryOptions) => {
    if (wanted !== url) change({ url: wanted }, { push: true });
    mutate(
      { input: inputOf(wanted, chosen) },
      {
        onSuccess: ({ tryPreview: { trace } }) =>
          announce(trace ? `Clients get ${trace.status}` : 'Not tried'),
      },
    );
  };
  // A pasted address only fills the box: opening a link must not make this server fetch.
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current || url === '' || !takeRunRequest()) return;
    asked.current = true;
    run(url, options);
  });
  const isShown = !isPending && variables?.input.url === url;
  return {
    url,
    isBusy: isPending,
    outcome: isShown ? { payload: data?.tryPreview, error: error && toRequestError(error) } : null,
    run,
  };
}
