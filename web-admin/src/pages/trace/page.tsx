import { useParams } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { graphql } from '../../gql/gql.js';
import type { SharedTraceQuery } from '../../gql/graphql.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { DiagnosisResult } from '../server/diagnose/diagnosis-result.js';
import diagnoseStyles from '../server/diagnose/diagnose.module.css';
import { TryResult } from '../try/try-result.js';

const sharedTraceQuery = graphql(`
  query SharedTrace($id: ID!) {
    sharedTrace(id: $id) {
      traceId
      createdAt
      sharedAt
      expiresAt
      actor
      preview {
        ...PreviewTraceParts
      }
      server {
        ...ServerReportParts
      }
    }
  }
`);

/** A try or a diagnosis as it was, for whoever has its link. */
export function Page() {
  const { traceId } = useParams<{ traceId: string }>();
  const query = useQuery(sharedTraceQuery, { id: traceId });
  return (
    <QueryView query={query}>
      {({ sharedTrace }) => (sharedTrace === null ? <Gone /> : <Trace trace={sharedTrace} />)}
    </QueryView>
  );
}

function Trace({ trace }: { trace: NonNullable<SharedTraceQuery['sharedTrace']> }) {
  const { preview, server, createdAt, expiresAt, actor } = trace;
  return (
    <>
      <PageHeader
        title={preview === null ? 'A diagnosis' : 'A try'}
        description={
          <>
            <UntrustedText text={preview?.url ?? server?.serverName ?? ''} max={120} />, run{' '}
            <RelativeTime at={createdAt} />
            {actor !== null && (
              <>
                {' '}
                by <UntrustedText text={actor} max={60} />
              </>
            )}
            ; deleted <RelativeTime at={expiresAt} />
          </>
        }
      />
      {preview !== null && <TryResult trace={preview} traceId={null} />}
      {server !== null && (
        <div className={diagnoseStyles.parts}>
          <DiagnosisResult report={server} traceId={null} />
        </div>
      )}
    </>
  );
}

function Gone() {
  return (
    <>
      <PageHeader title="No such trace" />
      <Panel>
        <EmptyState title="This trace is not kept any more">
          Traces are kept for 30 days after they were shared, and an hour before. Run it again under Try a
          preview, or Diagnose on the page of the server.
        </EmptyState>
      </Panel>
    </>
  );
}
