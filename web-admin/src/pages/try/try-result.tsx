import { Button } from '@mantine/core';
import { Link } from 'wouter';

import { JsonView } from '../../ui/json/json-view.js';
import { Panel } from '../../ui/page/panel.js';
import { PreviewCard } from '../../ui/preview/preview-card.js';
import { PropertyTable } from '../../ui/preview/property-table.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { SafeLink } from '../../ui/text/safe-link.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { TraceList } from '../../ui/trace/trace-list.js';
import { previewHref } from '../previews/preview-href.js';
import type { TraceData } from './try-query.js';
import { Verdict } from './verdict.js';
import styles from './try.module.css';

interface TryResultProps {
  trace: TraceData;
  isBusy: boolean;
  onStore: () => void;
}

/** What came of it: the verdict, every stage, the card, and what a client would get. */
export function TryResult({ trace, isBusy, onStore }: TryResultProps) {
  const { url, finalUrl, status, properties, droppedProperties, body } = trace;
  return (
    <div className={styles.result}>
      <div className={styles.main}>
        <Panel
          title={<Verdict trace={trace} />}
          actions={
            <span className={styles.copyAll}>
              Copy as JSON{' '}
              <CopyButton text={JSON.stringify(trace, null, 2)} what="the whole result as JSON" />
            </span>
          }
        >
          {finalUrl !== null && finalUrl !== url && (
            <p className={styles.final}>
              Ended at <SafeLink url={finalUrl} max={90} />
            </p>
          )}
          <TraceList steps={trace.steps} label="Stages of the preview" />
        </Panel>
        {droppedProperties.length > 0 && (
          <Panel title="Left out" note="the site sent them, clients do not get them" flush>
            <PropertyTable properties={droppedProperties} caption="Values that were left out" />
          </Panel>
        )}
      </div>
      <div className={styles.side}>
        {status === 200 && (
          <Panel title="In a chat client" actions={<Keeping {...{ trace, isBusy, onStore }} />}>
            <PreviewCard url={url} properties={properties} viewPath={trace.image?.viewPath ?? null} />
          </Panel>
        )}
        {properties.length > 0 && (
          <Panel title="Values" flush>
            <PropertyTable properties={properties} caption="Values of the preview" />
          </Panel>
        )}
        <Panel title="Answer to clients" note={`status ${status}`}>
          <JsonView value={body} what="answer to clients" />
        </Panel>
      </div>
    </div>
  );
}

/** What became of the result: stored, or a button that stores it. */
function Keeping({ trace, isBusy, onStore }: TryResultProps) {
  if (trace.stored !== null)
    return (
      <span className={styles.facts}>
        <Link href={previewHref({ id: trace.stored.id, url: trace.stored.url })}>stored</Link>, expires{' '}
        <RelativeTime at={trace.stored.expiresAt} />
      </span>
    );
  return (
    <Button
      size="xs"
      loading={isBusy}
      onClick={onStore}
      data-tip="Fetches it once more and keeps it in place of what is stored"
    >
      Store this result
    </Button>
  );
}
