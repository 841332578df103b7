import type { ReactNode } from 'react';

import type { ServerReportPartsFragment } from '../../../gql/graphql.js';
import { JsonView } from '../../../ui/json/json-view.js';
import { Panel } from '../../../ui/page/panel.js';
import { ToneIcon } from '../../../ui/state/state-badge.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import { CopyTrace } from '../../../ui/trace/copy-trace.js';
import type { MarkdownReport } from '../../../ui/trace/trace-markdown.js';
import { TraceList } from '../../../ui/trace/trace-list.js';
import styles from './diagnose.module.css';

interface DiagnosisResultProps {
  /** Null: there is none yet; `title` and `children` stand in its place. */
  report: ServerReportPartsFragment | null;
  title?: string;
  children?: ReactNode;
  actions?: ReactNode;
}

/** What a diagnosis came to: the verdict, every stage, and what the server publishes. */
export function DiagnosisResult({ report, title, children, actions }: DiagnosisResultProps) {
  return (
    <>
      <Panel
        title={report === null ? title : <Verdict report={report} />}
        actions={
          <>
            {report !== null && <CopyTrace report={textOf(report)} whole={report} />}
            {actions}
          </>
        }
      >
        {report === null ? children : <TraceList steps={report.steps} label="Stages of the key fetch" />}
      </Panel>
      {report !== null && report.published !== null && (
        <Panel title="What it publishes now">
          <JsonView value={report.published} what="published record" openTo={4} />
        </Panel>
      )}
    </>
  );
}

function textOf(report: ServerReportPartsFragment): MarkdownReport {
  const { serverName, steps, published } = report;
  return { title: `Keys of ${serverName}`, verdict: headlineOf(report), steps, json: published };
}

function headlineOf({ ok }: ServerReportPartsFragment): string {
  return ok ? 'The keys can be fetched' : 'The keys cannot be fetched';
}

function Verdict({ report }: { report: ServerReportPartsFragment }) {
  return (
    <span className={styles.verdict}>
      <ToneIcon tone={report.ok ? 'ok' : 'bad'} size={14} />
      {headlineOf(report)}
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
