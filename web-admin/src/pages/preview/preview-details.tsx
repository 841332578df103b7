import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';

import { useSession } from '../../session/session-context.js';
import { useCan } from '../../session/viewer-context.js';
import { JsonView } from '../../ui/json/json-view.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { PreviewCard } from '../../ui/preview/preview-card.js';
import { PropertyTable } from '../../ui/preview/property-table.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { SafeLink } from '../../ui/text/safe-link.js';
import { Snippet } from '../../ui/text/snippet.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { useDeletePreviews } from '../previews/delete-previews.js';
import { useRefreshPreviews } from '../previews/use-refresh-previews.js';
import { tryHref } from '../try/try-href.js';
import { Caches } from './caches.js';
import { PreviewMedia } from './preview-media.js';
import type { PreviewData } from './preview-query.js';
import { RefreshRun } from './refresh-run.js';
import styles from './preview.module.css';

/** Everything known of one stored preview. */
export function PreviewDetails({ preview }: { preview: PreviewData }) {
  const { url, properties, image } = preview;
  const can = useCan();
  const [run, setRun] = useState<string | null>(null);
  return (
    <>
      <Header preview={preview} onRun={setRun} />
      {run !== null && <RefreshRun key={run} id={run} />}
      <div className={styles.grid}>
        <div className={styles.column}>
          <Panel title="In a chat client">
            <PreviewCard url={url} properties={properties} viewPath={image?.viewPath ?? null} />
          </Panel>
          {properties.length > 0 && (
            <Panel title="Values" note={`${properties.length} in the answer`} flush>
              <PropertyTable properties={properties} caption="Values of the preview" />
            </Panel>
          )}
          <Panel title="Raw JSON" note="as clients get it">
            <JsonView value={preview.raw} what="raw preview" />
          </Panel>
        </div>
        <div className={styles.column}>
          <Caches preview={preview} />
          <Panel title="Media">
            <PreviewMedia page={preview.media} image={image} />
          </Panel>
          <Panel title="Ask as a client">
            <Curl url={url} />
          </Panel>
          {can('tryPreview') && (
            <p className={styles.small}>
              What the page says and clients do not get is not stored.{' '}
              <Link href={tryHref(url)}>Try the address</Link> to see the values that are left out.
            </p>
          )}
        </div>
      </div>
    </>
  );
}

interface HeaderProps {
  preview: PreviewData;
  onRun: (id: string) => void;
}

function Header({ preview, onRun }: HeaderProps) {
  const { id, url, title } = preview;
  const can = useCan();
  const refresh = useRefreshPreviews();
  const [isBusy, setBusy] = useState(false);
  const deletion = useDeletePreviews({}, () => {});
  const run = async () => {
    setBusy(true);
    const started = await refresh([id]);
    setBusy(false);
    if (started !== null) onRun(started);
  };
  return (
    <>
      <PageHeader
        title={title ?? 'Preview'}
        heading={title === null ? 'No title' : <UntrustedText text={title} max={160} />}
        description={
          <>
            <SafeLink url={url} max={110} /> <CopyButton text={url} what="URL" />
          </>
        }
        back={{ href: '/previews', label: 'Previews' }}
        actions={
          <>
            {can('deletePreviews') && (
              <Button variant="outline" color="seal" onClick={() => deletion.ask([id])}>
                Delete…
              </Button>
            )}
            {can('tryPreview') && (
              <Button component={Link} href={tryHref(url)}>
                Try with options
              </Button>
            )}
            {can('refreshPreviews') && (
              <Button variant="filled" loading={isBusy} onClick={() => void run()}>
                Refresh
              </Button>
            )}
          </>
        }
      />
      {deletion.dialog}
    </>
  );
}

function Curl({ url }: { url: string }) {
  const { serverName, pathPrefix } = useSession();
  // A single quote would end the shell's string; encodeURIComponent leaves it.
  const asked = encodeURIComponent(url).replaceAll("'", '%27');
  const address = `https://${serverName}${pathPrefix}/media/v3/preview_url?url=${asked}`;
  return (
    <Snippet text={`curl -H 'Authorization: Bearer TOKEN' \\\n'${address}'`} what="curl line of a client" />
  );
}
