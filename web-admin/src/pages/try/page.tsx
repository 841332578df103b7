import { useEffect, useRef, useState } from 'react';

import { toFailure } from '../../api/failure.js';
import { useChange } from '../../api/use-change.js';
import { useAnnounce } from '../../live/announcer.js';
import { useCan, useViewer } from '../../session/viewer-context.js';
import { UserErrors } from '../../ui/dialog/user-errors.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { ErrorState } from '../../ui/state/error-state.js';
import { SkeletonLines } from '../../ui/state/section.js';
import { text, useSearchParams } from '../../url/search-params.js';
import { takeRunWish } from './try-href.js';
import { TryForm } from './try-form.js';
import { NO_OPTIONS, inputOf } from './try-options.js';
import type { TryOptions } from './try-options.js';
import { tryPreviewMutation } from './try-query.js';
import { TryResult } from './try-result.js';
import styles from './try.module.css';

const SHAPE = { url: text() };

/** Makes a preview as for a client, under the operator's eyes. The address bar keeps the URL, not the result. */
export function Page() {
  const can = useCan();
  const { role } = useViewer();
  return (
    <>
      <PageHeader
        title="Try a preview"
        description="The pipeline of clients, stage by stage. What is blocked for them is blocked here."
      />
      {can('tryPreview') ? (
        <Trial />
      ) : (
        <Panel>
          <EmptyState title="Trying needs the role operator">
            You are {role.toLowerCase()}. Previews shows what was made for clients.
          </EmptyState>
        </Panel>
      )}
    </>
  );
}

function Trial() {
  const [{ url }, change] = useSearchParams(SHAPE);
  const [options, setOptions] = useState<TryOptions>(NO_OPTIONS);
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
    if (asked.current || url === '' || !takeRunWish()) return;
    asked.current = true;
    run(url, options);
  });
  const payload = data?.tryPreview;
  const isShown = !isPending && variables?.input.url === url;
  const trace = isShown ? payload?.trace : null;
  return (
    <div className={styles.parts}>
      <Panel>
        <TryForm
          key={url}
          url={url}
          options={options}
          isBusy={isPending}
          onOptions={setOptions}
          onRun={(wanted) => run(wanted, options)}
        />
      </Panel>
      {isPending && (
        <Panel title="Trying …">
          <SkeletonLines count={8} />
        </Panel>
      )}
      {isShown && error !== null && (
        <Panel>
          <ErrorState failure={toFailure(error)} onRetry={() => run(url, options)} />
        </Panel>
      )}
      {isShown && payload !== undefined && <UserErrors errors={payload.userErrors} />}
      {trace && (
        <TryResult
          trace={trace}
          isBusy={isPending}
          onStore={() => run(url, { ...options, ignoreCaches: true, store: true })}
        />
      )}
      {!isPending && !isShown && <Invitation hasUrl={url !== ''} />}
    </div>
  );
}

function Invitation({ hasUrl }: { hasUrl: boolean }) {
  return (
    <EmptyState title={hasUrl ? 'Ready to try' : 'Why has this link no preview?'}>
      {hasUrl
        ? 'Nothing has been fetched yet. Press Try to see every stage.'
        : 'Type its address. You see every stage with its time, what went wrong and what to do, and what a client would get.'}
    </EmptyState>
  );
}
