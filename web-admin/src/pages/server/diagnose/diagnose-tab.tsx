import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';

import { useChange } from '../../../api/use-change.js';
import { useAnnounce } from '../../../live/announcer.js';
import { useCan, useViewer } from '../../../session/viewer-context.js';
import { JsonView } from '../../../ui/json/json-view.js';
import { UserErrors } from '../../../ui/dialog/user-errors.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { ErrorState } from '../../../ui/state/error-state.js';
import { SkeletonLines } from '../../../ui/state/section.js';
import { ToneIcon } from '../../../ui/state/state-badge.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import { TraceList } from '../../../ui/trace/trace-list.js';
import { diagnoseMutation } from '../server-query.js';
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
  const { run, data, error, isPending } = useDiagnosis(name);
  const payload = data?.diagnoseServer;
  const report = isPending ? null : (payload?.report ?? null);
  const title = report === null ? 'Diagnosis' : <Verdict report={report} />;
  return (
    <div className={styles.parts}>
      <Panel
        title={isPending ? 'Asking …' : title}
        actions={
          <Button onClick={run} loading={isPending}>
            Diagnose again
          </Button>
        }
      >
        {error !== null && !isPending && <ErrorState error={error} onRetry={run} />}
        {payload !== undefined && <UserErrors errors={payload.userErrors} />}
        {isPending && <SkeletonLines count={6} />}
        {report !== null && <TraceList steps={report.steps} label="Stages of the key fetch" />}
      </Panel>
      {report !== null && report.published !== null && (
        <Panel title="What it publishes now">
          <JsonView value={report.published} what="published record" openTo={4} />
        </Panel>
      )}
    </div>
  );
}

/** Diagnoses the server when it is first drawn, and again on `run`. */
function useDiagnosis(name: string) {
  const announce = useAnnounce();
  const { mutate, data, error, isPending } = useChange(diagnoseMutation);
  const asked = useRef('');
  const run = () => {
    const done = ({ diagnoseServer: { report } }: NonNullable<typeof data>) =>
      announce(report?.ok ? `${name} answers` : `${name} has a problem`);
    mutate({ input: { serverName: name } }, { onSuccess: done });
  };
  useEffect(() => {
    if (asked.current === name) return;
    asked.current = name;
    run();
  });
  return { run, data, error, isPending };
}

interface Report {
  ok: boolean;
  resolvedTo: string[];
  checkedAt: string;
}

function Verdict({ report }: { report: Report }) {
  return (
    <span className={styles.verdict}>
      <ToneIcon tone={report.ok ? 'ok' : 'bad'} size={14} />
      {report.ok ? 'The keys can be fetched' : 'The keys cannot be fetched'}
      <span className={styles.note}>
        <RelativeTime at={report.checkedAt} />
        {report.resolvedTo.length > 0 && (
          <>
            {' · '}
            <UntrustedText text={report.resolvedTo.join(', ')} mono />
          </>
        )}
      </span>
    </span>
  );
}
