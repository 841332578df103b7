import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';

import { useAnnounce } from '../../../live/announcer.js';
import { useWatchedRun } from '../../../live/use-watched-run.js';
import { useCan, useViewer } from '../../../session/viewer-context.js';
import { UserErrors } from '../../../ui/dialog/user-errors.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { ErrorState } from '../../../ui/state/error-state.js';
import { LiveTrace } from '../../../ui/trace/live-trace.js';
import { diagnoseMutation } from '../server-query.js';
import { DiagnosisResult } from './diagnosis-result.js';
import styles from './diagnose.module.css';

/** Asks the server for its keys stage by stage, as a peer's query would, and stores nothing. Runs when opened. */
export function DiagnoseTab({ name }: { name: string }) {
  const can = useCan();
  const { role } = useViewer();
  if (can('diagnoseServer')) return <Diagnosis name={name} />;
  return (
    <Panel>
      <EmptyState title="Diagnosing needs the role operator">
        You are {role.toLowerCase()}. The history under Fetches shows past attempts with their stages.
      </EmptyState>
    </Panel>
  );
}

function Diagnosis({ name }: { name: string }) {
  const { run, cancel, state, stages, running, data, error } = useDiagnosis(name);
  const payload = data?.diagnoseServer;
  const isBusy = state === 'running' || state === 'idle';
  const title = isBusy ? 'Asking …' : state === 'cancelled' ? 'Cancelled' : 'Diagnosis';
  return (
    <div className={styles.parts}>
      <DiagnosisResult
        report={payload ?? null}
        title={title}
        actions={<Button onClick={isBusy ? cancel : run}>{isBusy ? 'Cancel' : 'Diagnose again'}</Button>}
      >
        {error !== null && <ErrorState error={error} onRetry={run} />}
        {payload !== undefined && <UserErrors errors={payload.userErrors} />}
        {state !== 'done' && <LiveTrace stages={stages} running={running} label="Stages so far" />}
      </DiagnosisResult>
    </div>
  );
}

/** Diagnoses the server when it is first drawn, and again on `run`. */
function useDiagnosis(name: string) {
  const announce = useAnnounce();
  const { start, ...rest } = useWatchedRun(diagnoseMutation);
  const asked = useRef('');
  const run = async () => {
    const data = await start({ serverName: name });
    if (data !== null) announce(data.diagnoseServer.ok ? `${name} answers` : `${name} has a problem`);
  };
  useEffect(() => {
    if (asked.current === name) return;
    asked.current = name;
    void run();
  });
  return { ...rest, run: () => void run() };
}
