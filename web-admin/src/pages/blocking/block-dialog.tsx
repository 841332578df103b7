import { Button, Switch, Text, TextInput } from '@mantine/core';
import '@mantine/core/styles/Switch.css';
import { useState } from 'react';

import { useChange } from '../../api/use-change.js';
import { useCan } from '../../session/viewer-context.js';
import { Dialog, DialogForm } from '../../ui/dialog/dialog.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { UntrustedText } from '../../ui/text/text.js';
import { addRuleMutation, tryRuleMutation, type TrialData } from './blocking-query.js';

interface BlockButtonProps {
  /** What is to be blocked; a leading dot or `*.` means subdomains. Empty: it is typed in the dialog. */
  host?: string;
}

/** Blocks a host or a pattern. Draws nothing for those who may not. */
export function BlockButton({ host = '' }: BlockButtonProps) {
  const can = useCan();
  const [isOpen, setOpen] = useState(false);
  if (!can('addBlockRule')) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>Block…</Button>
      <Dialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={host === '' ? 'Block a host or a pattern' : 'Block a host'}
        size="lg"
      >
        <BlockForm host={host} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

/** First what it would have refused, then it is saved. */
function BlockForm({ host, onClose }: { host: string; onClose: () => void }) {
  const [text, setText] = useState(host.replace(/^\*?\./, ''));
  const [withSubdomains, setSubdomains] = useState(host.startsWith('.'));
  const [trial, setTrial] = useState<TrialData | null>(null);
  const tell = useTell();
  const trying = useChange(tryRuleMutation);
  const adding = useChange(addRuleMutation);
  const pattern = patternOf(text, withSubdomains);
  const run = async () => {
    if (trial === null) {
      const tried = (await trying.mutateAsync({ pattern })).tryBlockRule;
      setTrial(tried.trial ?? null);
      return tried.userErrors.length === 0 ? null : tried.userErrors;
    }
    const { userErrors } = (await adding.mutateAsync({ pattern })).addBlockRule;
    if (userErrors.length === 0) tell('Takes effect on all instances within seconds.');
    return userErrors;
  };
  return (
    <DialogForm verb={trial === null ? 'See what it would refuse' : 'Block'} onClose={onClose} onRun={run}>
      <TextInput
        label="Host or pattern"
        description="example.org, or host and path with * and ?, such as *.example.org/ads/*"
        value={text}
        maxLength={500}
        spellCheck={false}
        data-autofocus
        onChange={(event) => {
          setText(event.currentTarget.value);
          setTrial(null);
        }}
      />
      <Switch
        label="With subdomains"
        checked={withSubdomains}
        onChange={(event) => {
          setSubdomains(event.currentTarget.checked);
          setTrial(null);
        }}
      />
      {trial !== null && <Trial trial={trial} />}
    </DialogForm>
  );
}

/** Of an address its host is blocked. */
function patternOf(text: string, withSubdomains: boolean): string {
  const trimmed = text.trim();
  const host = trimmed.replace(/^[a-z][a-z0-9+.-]*:\/\/([^/]*).*$/i, '$1');
  return withSubdomains && !host.startsWith('.') ? `.${host}` : trimmed;
}

/** What a pattern would have refused of the latest addresses. */
function Trial({ trial: { tried, refused, examples } }: { trial: TrialData }) {
  return (
    <div role="status">
      <Text>
        {`Would have refused ${refused.toLocaleString('en')} of the last ${tried.toLocaleString('en')} addresses.`}
      </Text>
      {examples.length > 0 && (
        <ul aria-label="Would be refused">
          {examples.map((url) => (
            <li key={url}>
              <UntrustedText text={url} max={90} mono />
            </li>
          ))}
          {refused > examples.length && <li>and more</li>}
        </ul>
      )}
    </div>
  );
}
