import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';

import { useChange } from '../../api/use-change.js';
import { useCan } from '../../session/viewer-context.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { useAttempt } from '../../ui/dialog/use-attempt.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { SafeLink } from '../../ui/text/safe-link.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { useDeletePreviews } from '../previews/delete-previews.js';
import { useRefreshPreviews } from '../previews/use-refresh-previews.js';
import { hostHref } from '../previews/host-href.js';
import { isPartHidden, tryHref } from '../try/try-href.js';
import { revealUrlMutation, type PreviewData } from './preview-query.js';

interface PreviewHeaderProps {
  preview: PreviewData;
  /** Called with the id of the run that makes it anew. */
  onRun: (id: string) => void;
}

/** What preview it is and what can be done with it. */
export function PreviewHeader({ preview, onRun }: PreviewHeaderProps) {
  const { id, host, title } = preview;
  const { url, reveal } = useWholeUrl(id, preview.url);
  return (
    <PageHeader
      title={title ?? 'Preview'}
      heading={title === null ? 'No title' : <UntrustedText text={title} max={160} />}
      description={
        <>
          <SafeLink url={url} max={110} /> <CopyButton text={url} what="URL" />
          {reveal !== null && (
            <>
              {' '}
              <Button
                size="compact-xs"
                data-tip="User name and password; the audit log says who looked"
                onClick={() => void reveal()}
              >
                Reveal
              </Button>
            </>
          )}{' '}
          of{' '}
          <Link href={hostHref(host)}>
            <UntrustedText text={host} max={60} inside />
          </Link>
        </>
      }
      back={{ href: '/previews', label: 'Previews' }}
      actions={<Actions preview={preview} onRun={onRun} />}
    />
  );
}

/** The address as it is shown, and what reveals the user name and password in it; `null` without any. */
function useWholeUrl(id: string, shown: string): { url: string; reveal: (() => Promise<void>) | null } {
  const [whole, setWhole] = useState<string | null>(null);
  const { mutateAsync } = useChange(revealUrlMutation);
  const attempt = useAttempt();
  const can = useCan();
  const reveal = async () => {
    const payload = await attempt(async () => (await mutateAsync({ id })).revealUrl);
    setWhole(payload?.url ?? null);
  };
  const isHidden = whole === null && isPartHidden(shown) && can('revealUrl');
  return { url: whole ?? shown, reveal: isHidden ? reveal : null };
}

function Actions({ preview: { id, url }, onRun }: PreviewHeaderProps) {
  const can = useCan();
  const deletion = useDeletePreviews({ filter: {}, words: [] }, () => {});
  return (
    <>
      {can('deletePreviews') && (
        <Button variant="outline" color="seal" onClick={() => deletion.ask([id])}>
          Delete…
        </Button>
      )}
      {can('tryPreview') && (
        <Button component={Link} href={tryHref(url, id)}>
          Try with options
        </Button>
      )}
      {can('refreshPreviews') && <RefreshButton id={id} onRun={onRun} />}
      {deletion.dialog}
    </>
  );
}

function RefreshButton({ id, onRun }: { id: string; onRun: (id: string) => void }) {
  const refresh = useRefreshPreviews();
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    const started = await refresh([id]);
    setBusy(false);
    if (started !== null) onRun(started);
  };
  return (
    <Button variant="filled" loading={isBusy} onClick={() => void run()}>
      Refresh
    </Button>
  );
}
