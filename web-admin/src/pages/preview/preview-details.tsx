import { useState } from 'react';
import { Link } from 'wouter';

import { useCan } from '../../session/viewer-context.js';
import { JsonView } from '../../ui/json/json-view.js';
import { Panel } from '../../ui/page/panel.js';
import { PreviewCard } from '../../ui/preview/preview-card.js';
import { PropertyTable } from '../../ui/preview/property-table.js';
import { tryHref } from '../try/try-href.js';
import { Caches } from './caches.js';
import { ClientCurl } from './client-curl.js';
import { PreviewHeader } from './preview-header.js';
import { PreviewMedia } from './preview-media.js';
import type { PreviewData } from './preview-query.js';
import { RefreshRun } from './refresh-run.js';
import styles from './preview.module.css';

/** Everything known of one stored preview. */
export function PreviewDetails({ preview }: { preview: PreviewData }) {
  const [run, setRun] = useState<string | null>(null);
  return (
    <>
      <PreviewHeader preview={preview} onRun={setRun} />
      {run !== null && <RefreshRun key={run} id={run} />}
      <div className={styles.grid}>
        <div className={styles.column}>
          <Answer preview={preview} />
        </div>
        <div className={styles.column}>
          <Caches preview={preview} />
          <Panel title="Media">
            <PreviewMedia
              page={preview.media}
              image={preview.image}
              namesImage={preview.properties.some(namesOurImage)}
            />
          </Panel>
          <Panel title="Ask as a client">
            <ClientCurl url={preview.url} />
          </Panel>
          <TryHint id={preview.id} url={preview.url} />
        </div>
      </div>
    </>
  );
}

/** Images are stored here, and named by a content URI. */
function namesOurImage({ key, value }: PreviewData['properties'][number]): boolean {
  return key === 'og:image' && typeof value === 'string' && !/^https?:/.test(value);
}

function Answer({ preview: { url, properties, image, raw } }: { preview: PreviewData }) {
  return (
    <>
      <Panel title="In a chat client">
        <PreviewCard url={url} properties={properties} viewPath={image?.viewPath ?? null} />
      </Panel>
      {properties.length > 0 && (
        <Panel title="Values" note={`${properties.length} in the answer`} flush>
          <PropertyTable properties={properties} caption="Values of the preview" />
        </Panel>
      )}
      <Panel title="Raw JSON" note="as clients get it">
        <JsonView value={raw} what="raw preview" />
      </Panel>
    </>
  );
}

function TryHint({ id, url }: { id: string; url: string }) {
  const can = useCan();
  if (!can('tryPreview')) return null;
  return (
    <p className={styles.small}>
      What the page says and clients do not get is not stored.{' '}
      <Link href={tryHref(url, id)}>Try the address</Link> to see the values that are left out.
    </p>
  );
}
