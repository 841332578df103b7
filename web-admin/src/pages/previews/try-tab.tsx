import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';

import { useAnnounce } from '../../live/announcer.js';
import { useWatchedRun } from '../../live/use-watched-run.js';
import { useCan, useViewer } from '../../session/viewer-context.js';
import { UserErrors } from '../../ui/dialog/dialog.js';
import { Panel } from '../../ui/page.js';
import { EmptyState, ErrorState } from '../../ui/state.js';
import { LiveTrace } from '../../ui/trace/trace-list.js';
import { text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { tryPreviewMutation } from './try-query.js';
import { TryResult } from './try-result.js';

/** Makes a preview as for a client and shows every stage. The address bar keeps the URL, not the result. */
export function TryTab() {
  const can = useCan();
  const { role } = useViewer();
  if (can('tryPreview')) return <Trial />;
  return (
    <EmptyState title="Trying requires the operator role">
      You are signed in as {role.toLowerCase()}. The Stored tab shows the previews that clients get.
    </EmptyState>
  );
}

const SHAPE = { url: text() };

/** A pasted address only fills the box: opening a link must not make this server fetch. */
function useTrial() {
  const [{ url }, change] = useSearchParams(SHAPE);
  const announce = useAnnounce();
  const { start, cancel, ...run } = useWatchedRun(tryPreviewMutation);
  const tryIt = async (wanted: string, ignoreCaches: boolean) => {
    if (wanted !== url) change({ url: wanted }, { push: true });
    const data = await start({ url: wanted, ignoreCaches });
    const trace = data?.tryPreview.trace ?? null;
    announce(trace === null ? 'Not tried' : `Clients get ${trace.status}`);
  };
  // After Back in the history another address is shown.
  const isShown = run.variables?.url === url && run.state !== 'idle';
  return { url, run: isShown ? run : null, isBusy: run.state === 'running', tryIt, cancel };
}

function Trial() {
  const [ignoreCaches, setIgnoreCaches] = useState(true);
  const { url, run, isBusy, tryIt, cancel } = useTrial();
  return (
    <Stack gap="sm">
      <Panel>
        <TryForm
          key={url}
          url={url}
          ignoreCaches={ignoreCaches}
          isBusy={isBusy}
          onIgnoreCaches={setIgnoreCaches}
          onRun={(wanted) => void tryIt(wanted, ignoreCaches)}
          onCancel={cancel}
        />
      </Panel>
      {run === null ? (
        <EmptyState title={url === '' ? 'Why does this link have no preview?' : 'Ready to try'}>
          {url === ''
            ? 'Enter its URL. Every stage shows its time and its errors with advice, then the answer that clients get.'
            : 'Nothing has been fetched yet. Press Try to see every stage.'}
        </EmptyState>
      ) : (
        <TrialRun run={run} onRetry={() => void tryIt(url, ignoreCaches)} />
      )}
    </Stack>
  );
}

interface TryFormProps {
  url: string;
  ignoreCaches: boolean;
  isBusy: boolean;
  onIgnoreCaches: (ignoreCaches: boolean) => void;
  onRun: (url: string) => void;
  onCancel: () => void;
}

/** The address and how it is tried. */
function TryForm({ url, ignoreCaches, isBusy, onIgnoreCaches, onRun, onCancel }: TryFormProps) {
  const [typed, setTyped] = useState(url);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isBusy) onCancel();
        else if (typed.trim() !== '') onRun(typed.trim());
      }}
    >
      <Group gap="xs" mb="sm" wrap="nowrap">
        <TextInput
          aria-label="URL to try"
          placeholder="https://example.org/article"
          size="md"
          flex={1}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          maxLength={8192}
          spellCheck={false}
          autoFocus
          data-page-search
        />
        <Button
          type="submit"
          variant={isBusy ? 'default' : 'filled'}
          size="md"
          disabled={!isBusy && typed.trim() === ''}
        >
          {isBusy ? 'Cancel' : 'Try'}
        </Button>
      </Group>
      <Checkbox
        label="Ignore caches"
        description="Fetches the page again and replaces the stored preview"
        checked={ignoreCaches}
        onChange={(event) => onIgnoreCaches(event.currentTarget.checked)}
      />
    </form>
  );
}

interface TrialRunProps {
  run: NonNullable<ReturnType<typeof useTrial>['run']>;
  onRetry: () => void;
}

/** A try in progress, cancelled or done. */
function TrialRun({ run, onRetry }: TrialRunProps) {
  const { state, stages, running, error, data } = run;
  if (state !== 'done')
    return (
      <Panel title={state === 'running' ? 'Trying …' : 'Cancelled'}>
        <LiveTrace steps={stages} running={running} label="Stages so far" />
      </Panel>
    );
  if (error !== null) return <ErrorState error={error} onRetry={onRetry} />;
  if (data === null) return null;
  const { userErrors, trace } = data.tryPreview;
  return (
    <>
      <UserErrors errors={userErrors} />
      {trace && <TryResult trace={trace} />}
    </>
  );
}
