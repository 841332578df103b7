import { useState } from 'react';

import { useCan, useViewer } from '../../session/viewer-context.js';
import { UserErrors } from '../../ui/dialog/user-errors.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { ErrorState } from '../../ui/state/error-state.js';
import { LiveTrace } from '../../ui/trace/live-trace.js';
import { TryForm } from './try-form.js';
import { NO_OPTIONS } from './try-options.js';
import { TryResult } from './try-result.js';
import { useTrial, type ShownTrial } from './use-trial.js';
import styles from './try.module.css';

/** Makes a preview as for a client, under the operator's eyes. The address bar keeps the URL, not the result. */
export function TryTab() {
  const can = useCan();
  const { role } = useViewer();
  if (can('tryPreview')) return <Trial />;
  return (
    <Panel>
      <EmptyState title="Trying needs the role operator">
        You are {role.toLowerCase()}. Previews shows what was made for clients.
      </EmptyState>
    </Panel>
  );
}

function Trial() {
  const [options, setOptions] = useState(NO_OPTIONS);
  const { url, run, isBusy, tryIt, cancel } = useTrial(options);
  return (
    <div className={styles.parts}>
      <Panel>
        <TryForm
          url={url}
          options={options}
          isBusy={isBusy}
          onOptions={setOptions}
          onRun={(wanted) => void tryIt(wanted, options)}
          onCancel={cancel}
        />
      </Panel>
      {run === null || run.state === 'idle' ? (
        <Invitation hasUrl={url !== ''} />
      ) : (
        <TrialRun
          run={run}
          onRetry={() => void tryIt(url, options)}
          onStore={() => void tryIt(url, { ...options, ignoreCaches: true, store: true })}
        />
      )}
    </div>
  );
}

interface TrialRunProps {
  run: ShownTrial;
  onRetry: () => void;
  onStore: () => void;
}

/** A try under way, cancelled or done. */
function TrialRun({ run, onRetry, onStore }: TrialRunProps) {
  const { state, stages, running, error, data } = run;
  if (state !== 'done')
    return (
      <Panel title={state === 'running' ? 'Trying …' : 'Cancelled'}>
        <LiveTrace stages={stages} running={running} label="Stages so far" />
      </Panel>
    );
  if (error !== null)
    return (
      <Panel>
        <ErrorState error={error} onRetry={onRetry} />
      </Panel>
    );
  if (data === null) return null;
  const { userErrors, trace } = data.tryPreview;
  return (
    <>
      <UserErrors errors={userErrors} />
      {trace && <TryResult trace={trace} onStore={onStore} />}
    </>
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
