import { Button } from '@mantine/core';
import { Link } from 'wouter';

import { JsonView } from '../../ui/json/json-view.js';
import { Panel } from '../../ui/page/panel.js';
import { PreviewCard } from '../../ui/preview/preview-card.js';
import { PropertyTable } from '../../ui/preview/property-table.js';
import { SafeLink } from '../../ui/text/safe-link.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { CopyTrace } from '../../ui/trace/copy-trace.js';
import { TraceList } from '../../ui/trace/trace-list.js';

import { previewHref } from '../previews/preview-href.js';
import type { TraceData } from './try-query.js';
import { headlineOf, Verdict } from './verdict.js';
import styles from './try.module.css';

interface TryResultProps {
  trace: TraceData;
  /** Tries it once more and keeps the result; absent: it is not for trying. */
  onStore?: () => void;
}

/** What came of it: the verdict, every stage, the card, and what a client would get. */
export function TryResult({ trace, onStore }: TryResultProps) {
  return (
    <div className={styles.result}>
      <div className={styles.main}>
        <Stages trace={trace} />
        {trace.droppedProperties.length > 0 && (
          <Panel title="Left out" note="the site sent them, clients do not get them" flush>
            <PropertyTable properties={trace.droppedProperties} caption="Values that were left out" />
          </Panel>
        )}
      </div>
      <div className={styles.side}>
        <Answer trace={trace} onStore={onStore} />
      </div>
    </div>
  );
}

function Stages({ trace }: Pick<TryResultProps, 'trace'>) {
  const { url, finalUrl, steps, body } = trace;
  const report = { title: `Preview of ${url}`, verdict: headlineOf(trace), steps, json: body };
  return (
    <Panel title={<Verdict trace={trace} />} actions={<CopyTrace report={report} whole={trace} />}>
      {finalUrl !== null && finalUrl !== url && (
        <p className={styles.final}>
          Ended at <SafeLink url={finalUrl} max={90} />
        </p>
      )}
      <TraceList steps={steps} label="Stages of the preview" />
    </Panel>
  );
}

function Answer({ trace, onStore }: TryResultProps) {
  const { url, status, properties, image, body } = trace;
  return (
    <>
      {status === 200 && (
        <Panel title="In a chat client" actions={<Keeping trace={trace} onStore={onStore} />}>
          <PreviewCard url={url} properties={properties} viewPath={image?.viewPath ?? null} />
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
    </>
  );
}

/** What became of the result: stored, or a button that stores it. */
function Keeping({ trace, onStore }: TryResultProps) {
  if (trace.stored !== null)
    return (
      <span className={styles.facts}>
        <Link href={previewHref({ id: trace.stored.id, url: trace.stored.url })}>stored</Link>, expires{' '}
        <RelativeTime at={trace.stored.expiresAt} />
      </span>
    );
  if (onStore === undefined) return null;
  return (
    <Button
      size="xs"
      onClick={onStore}
      data-tip="Fetches it once more and keeps it in place of what is stored"
    >
      Store this result
    </Button>
  );
}
