import { Button } from '@mantine/core';

import { useBackend } from '../../api/backend-context.js';
import { useChange } from '../../api/use-change.js';
import { graphql } from '../../gql/gql.js';
import { useCan } from '../../session/viewer-context.js';
import { UserErrors } from '../dialog/user-errors.js';
import { CopyButton } from '../text/copy-button.js';
import { RelativeTime } from '../text/relative-time.js';
import { traceMarkdown, type MarkdownReport } from './trace-markdown.js';
import styles from './trace-list.module.css';

const shareMutation = graphql(`
  mutation ShareTrace($input: ShareTraceInput!) {
    shareTrace(input: $input) {
      userErrors {
        code
        message
      }
      trace {
        traceId
        expiresAt
      }
    }
  }
`);

interface ShareTraceProps {
  /** Null: it is not kept. */
  traceId: string | null;
  report: MarkdownReport;
  /** What it is, as JSON. */
  whole: unknown;
}

/** A link that shows the trace for 30 days, and its text to copy. */
export function ShareTrace({ traceId, report, whole }: ShareTraceProps) {
  return (
    <div className={styles.share}>
      {traceId !== null && <ShareLink key={traceId} traceId={traceId} />}
      <span className={styles.copies}>
        Copy as Markdown <CopyButton text={traceMarkdown(report)} what="the trace as Markdown" />
      </span>
      <span className={styles.copies}>
        JSON <CopyButton text={JSON.stringify(whole, null, 2)} what="the whole result as JSON" />
      </span>
    </div>
  );
}

function ShareLink({ traceId }: { traceId: string }) {
  const can = useCan();
  const { basePath } = useBackend();
  const { mutate, data, error, isPending } = useChange(shareMutation);
  const shared = data?.shareTrace.trace ?? null;
  if (!can('shareTrace')) return null;
  if (shared === null)
    return (
      <>
        <Button
          size="xs"
          loading={isPending}
          onClick={() => mutate({ input: { id: traceId } })}
          data-tip="Keeps this trace for 30 days; everybody who can sign in may open its link"
        >
          Share
        </Button>
        {data !== undefined && <UserErrors errors={data.shareTrace.userErrors} />}
        {error !== null && <span className={styles.copies}>{error.message}</span>}
      </>
    );
  const address = `${window.location.origin}${basePath}/traces/${shared.traceId}`;
  return (
    <span className={styles.copies}>
      <a href={address}>Link</a>, ends <RelativeTime at={shared.expiresAt} />
      <CopyButton text={address} what="link" />
    </span>
  );
}
