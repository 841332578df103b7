import { Button, Stack } from '@mantine/core';
import { useEffect, useRef } from 'react';

import type { ServerReportPartsFragment } from '../../gql/graphql.js';
import { useAnnounce } from '../../live/announcer.js';
import { useWatchedRun } from '../../live/use-watched-run.js';
import { useCan, useViewer } from '../../session/viewer-context.js';
import { UserErrors } from '../../ui/dialog/dialog.js';
import { Panel } from '../../ui/page.js';
import { EmptyState, ErrorState, ToneIcon } from '../../ui/state.js';
import { JsonView, RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { CopyTrace, LiveTrace, TraceList } from '../../ui/trace/trace-list.js';
import { diagnoseMutation } from './server-query.js';

/** Asks the server for its keys stage by stage, as a peer's query would, and stores nothing. Runs when opened. */
export function DiagnoseTab({ name }: { name: string }) {
  const can = useCan();
  const { role } = useViewer();
  if (can('diagnoseServer')) return <Diagnosis name={name} />;
  return (
    <EmptyState title="Diagnosing requires the operator role">
      You are signed in as {role.toLowerCase()}. The Fetches tab shows past attempts.
    </EmptyState>
  );
}

function Diagnosis({ name }: { name: string }) {
  const announce = useAnnounce();
  const { start, cancel, state, stages, running, data, error } = useWatchedRun(diagnoseMutation);
  const asked = useRef('');
  const run = async () => {
    const done = await start({ serverName: name });
    if (done !== null) announce(done.diagnoseServer.ok ? `${name} answers` : `${name} has a problem`);
  };
  useEffect(() => {
    if (asked.current === name) return;
    asked.current = name;
    void run();
  });
  const isBusy = state === 'running' || state === 'idle';
  const button = (
    <Button onClick={() => (isBusy ? cancel() : void run())}>{isBusy ? 'Cancel' : 'Diagnose again'}</Button>
  );
  const report = data?.diagnoseServer ?? null;
  if (report !== null && report.userErrors.length === 0) return <Report report={report} button={button} />;
  const title = isBusy ? 'Diagnosing …' : state === 'cancelled' ? 'Cancelled' : 'Diagnosis';
  return (
    <Panel title={title} actions={button}>
      {error !== null && <ErrorState error={error} onRetry={() => void run()} />}
      <UserErrors errors={report?.userErrors ?? []} />
      {state !== 'done' && <LiveTrace steps={stages} running={running} label="Stages so far" />}
    </Panel>
  );
}

interface ReportProps {
  report: ServerReportPartsFragment;
  button: React.ReactNode;
}

/** The verdict, every stage, and what the server publishes. */
function Report({ report, button }: ReportProps) {
  const { ok, checkedAt, resolvedTo, steps, published, serverName } = report;
  const verdict = ok ? 'The keys can be fetched' : 'The keys cannot be fetched';
  return (
    <Stack gap="sm">
      <Panel
        title={
          <>
            <ToneIcon tone={ok ? 'ok' : 'bad'} /> {verdict}
          </>
        }
        note={
          <>
            <RelativeTime at={checkedAt} />
            {resolvedTo.length > 0 && (
              <>
                {' · '}
                <UntrustedText text={resolvedTo.join(', ')} max={120} mono />
              </>
            )}
          </>
        }
        actions={
          <>
            <CopyTrace title={`Keys of ${serverName}`} verdict={verdict} steps={steps} json={published} />
            {button}
          </>
        }
      >
        <TraceList steps={steps} label="Stages of the key fetch" />
      </Panel>
      {published !== null && (
        <Panel title="Published record">
          <JsonView value={published} what="published record" />
        </Panel>
      )}
    </Stack>
  );
}
